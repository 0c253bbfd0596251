"""Screening and sentences of a study's own, as an organiser writes them in a form or on the command line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tealeaves.errors import InputError
from tealeaves.human import own_texts, screening


def test_a_question_of_the_screening_is_one_line():
    assert screening.question("How old are you? -under 18 +18 to 60 +over 60") == {
        "question": "How old are you?",
        "options": ["under 18", "18 to 60", "over 60"],
        "accept": [1, 2],
    }


@pytest.mark.parametrize(
    "text", ["", "Do you read?", "Do you read? +Yes", "Do you read? -Yes -No", "+Yes -No"]
)
def test_what_is_no_question_is_refused_with_an_example(text):
    with pytest.raises(InputError, match="Is English your first language"):
        screening.question(text)


plain = (
    st.text("abc xyz?", min_size=1, max_size=12)
    .map(str.strip)
    .filter(bool)
    .map(lambda t: " ".join(t.split()))
)
asked = st.builds(
    lambda q, options, accept: {"question": q, "options": options, "accept": sorted(accept)},
    plain, st.lists(plain, min_size=2, max_size=2), st.sets(st.integers(0, 1), min_size=1),
)  # fmt: skip


@given(st.lists(asked, max_size=3))
def test_what_is_written_into_a_form_is_read_again(given_questions):
    assert screening.questions(screening.written(tuple(given_questions))) == tuple(given_questions)


def test_own_texts_come_back_lists_too():
    texts = {"document": "story", "word_intrusion.rules": ["One.", "Two."]}
    assert own_texts.own_texts(own_texts.written(texts)) == texts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("document", 'lines such as "document = story"'),
        ("a = 1\na = 2", "twice"),
        ("a = 1\na[] = 2", "only one can be"),
    ],
)
def test_what_is_no_text_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        own_texts.own_texts(text)


def test_paragraphs_are_parted_by_an_empty_line():
    assert own_texts.paragraphs("One\nline.\r\n\r\n  Two. \n\n") == ("One line.", "Two.")
