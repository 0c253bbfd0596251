import json
import re
import tomllib
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from human.preview import ANSWERS, ITEMS, KITCHEN, Sample, frame, page_contexts
from tealeaves.errors import InputError
from tealeaves.human.app import pages
from tealeaves.human.app.pages.task import document

TEXT = pages.wording("en")
NAMES = sorted(page_contexts(TEXT))
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


class Markup(HTMLParser):
    """The tags and attributes of a page, and its text by the ids of elements without children."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def having(self, **wanted):
        return [a for _, a in self.tags if all(a.get(name) == value for name, value in wanted.items())]


def show(name, text=TEXT):
    template, context = page_contexts(text)[name]
    return pages.render(template, context, text)


@pytest.mark.parametrize("language", pages.languages())
@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_whole_in_every_language_with_nothing_inline(name, language):
    html = show(name, pages.wording(language))
    page = Markup(html)
    assert dict(page.tags[0][1]) == {"lang": language}
    assert [tag for tag, _ in page.tags].count("h1") == 1
    assert not [tag for tag, _ in page.tags if tag == "style"]
    assert [a["src"].partition("?")[0] for tag, a in page.tags if tag == "script"] == ["/static/study.js"]
    assert not [n for _, attributes in page.tags for n in attributes if n == "style" or n.startswith("on")]
    assert not re.search(r"[{}]", html)  # every place of every sentence is filled in
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))


def test_the_files_of_all_languages_hold_the_same_sentences():
    def shape(entry, at=""):
        if isinstance(entry, dict):
            return {k: v for name, part in entry.items() for k, v in shape(part, f"{at}.{name}").items()}
        if isinstance(entry, list):
            return {at: len(entry)} | {
                k: v for e in entry if isinstance(e, dict) for k, v in shape(e, at).items()
            }
        return {at: entry if isinstance(entry, int) else "sentence"}

    folder = files("tealeaves.human.app").joinpath("texts")
    tables = {
        language: tomllib.loads(folder.joinpath(f"{language}.toml").read_text("utf-8"))
        for language in pages.languages()
    }
    assert {"en", "de"} <= set(tables)
    for table in tables.values():
        table.pop("words")  # each language has the forms it needs
    assert all(shape(table) == shape(tables["en"]) for table in tables.values())


@pytest.mark.parametrize("language", pages.languages())
@pytest.mark.parametrize("task", pages.TASKS)
def test_the_quiz_has_one_right_answer_which_its_page_does_not_tell(task, language):
    text = pages.wording(language)
    questions = pages.quiz(task, text)
    right = {q["name"]: q["right"] for q in questions}
    assert pages.wrong_answers(right, questions) == {}
    assert all(0 <= q["right"] < len(q["options"]) for q in questions)
    first = questions[0]
    wrong = {**right, first["name"]: (first["right"] + 1) % len(first["options"])}
    assert pages.wrong_answers(wrong, questions) == {first["name"]: first["why"]}
    html = pages.render("quiz", {"task": task, "questions": questions}, text)
    assert not any(q["why"] in html for q in questions)
    shifted = [{**q, "right": (q["right"] + 1) % len(q["options"])} for q in questions]
    assert html == pages.render("quiz", {"task": task, "questions": shifted}, text)


class Sealed(Sample):
    """An item whose secrets must not be looked at."""

    def __getattr__(self, name):
        raise AssertionError(f"a page looked at {name!r}")


@pytest.mark.parametrize("task", pages.TASKS)
def test_a_page_looks_at_nothing_but_what_may_be_shown(task):
    item = Sealed(task, ITEMS[task].options, ITEMS[task].shown)
    order = list(range(len(item.options)))
    html = pages.render("item", frame(task, TEXT, item))
    value = pages.TASKS[task].parse(ANSWERS[task], item, order)
    assert pages.TASKS[task].form(value, item, order).items() <= {**ANSWERS[task], "none": "1"}.items()
    assert not re.search(r"intruder|\bkey\b|answer_key|control|role=.?(item|check)", html, re.IGNORECASE)


@pytest.mark.parametrize("task", [task for task in pages.TASKS if ITEMS[task].options])
def test_options_are_named_by_places_alone_and_stand_in_the_order_of_the_page(task):
    item = ITEMS[task]
    order = list(range(len(item.options)))[::-1]
    page = Markup(
        pages.render("item", {**frame(task, TEXT), "question": pages.TASKS[task].context(item, order, TEXT)})
    )
    values = [a["value"] for a in page.having(type="radio", name="choice")]
    assert set(values) == {str(p) for p in range(1, len(order) + 1)}
    if task != "temporal_word_intrusion":
        assert values == sorted(values, key=int)
    assert (
        pages.TASKS[task].parse({**ANSWERS[task], "choice": "1"}, item, order)["choice"] == item.options[-1]
    )


def test_words_in_slices_stand_in_the_page_s_order_whatever_the_slice_s_own():
    task = pages.TASKS["temporal_word_intrusion"]
    item = ITEMS["temporal_word_intrusion"]
    order = [(7 * i + 3) % len(item.options) for i in range(len(item.options))]
    turned = Sample(
        item.task, item.options, {"slices": [{**s, "words": s["words"][::-1]} for s in item.shown["slices"]]}
    )
    assert task.context(item, order, TEXT) == task.context(turned, order, TEXT)
    shown = task.context(item, order, TEXT)["slices"][0]["words"]
    assert sorted(word["text"] for word in shown) == sorted(KITCHEN[0])
    assert [int(word["value"]) for word in shown] == sorted(int(word["value"]) for word in shown)


@given(st.permutations(range(6)), st.integers(0, 5), st.sampled_from(["most", "sure", "unsure"]))
def test_an_answer_comes_back_from_the_form_made_of_it(order, i, familiarity):
    item, task = ITEMS["word_intrusion"], pages.TASKS["word_intrusion"]
    value = {"choice": item.options[i], "familiarity": familiarity}
    form = task.form(value, item, order)
    assert form["choice"] == str(order.index(i) + 1)
    assert task.parse(form, item, order) == value


def test_values_are_those_that_scoring_reads():
    def value(task, **fields):
        item = ITEMS[task]
        return pages.TASKS[task].parse({**ANSWERS[task], **fields}, item, list(range(len(item.options))))

    assert value("word_intrusion") == {"choice": "violin", "familiarity": "most"}
    assert value("topic_intrusion") == {"choice": "goal, team, match, coach, league, referee"}
    assert value("temporal_word_intrusion") == {
        "choice": ITEMS["temporal_word_intrusion"].options[16],
        "familiarity": "sure",
    }
    assert value("word_set_rating") == {"rating": 3, "familiarity": "unsure"}
    assert value("temporal_rating") == {"relatedness": 3, "smoothness": 2, "familiarity": "most"}
    assert value("topic_pair_matching") == {"label": 0.5, "names": ["baking", "grain"]}
    assert value("topic_pair_matching", label="1", name_a="  two\n words ")["names"][0] == "two words"
    assert value("topic_labelling") == {"label": "baking bread", "sure": 3, "none": False}
    assert value("topic_labelling", label="", none="1") == {"label": "", "sure": 3, "none": True}


@pytest.mark.parametrize("turned", [False, True])
def test_the_sides_of_a_pair_may_be_turned_and_names_are_of_their_topics(turned):
    item, task = ITEMS["topic_pair_matching"], pages.TASKS["topic_pair_matching"]
    order = [1, 0] if turned else [0, 1]
    question = task.context(item, order, TEXT)
    left = [word["text"] for word in question["first"]["words"]]
    assert left == list(item.shown["second" if turned else "first"]["words"])
    form = {"name_a": "left", "name_b": "right", "label": "0"}
    value = task.parse(form, item, order)
    assert value["names"] == (["right", "left"] if turned else ["left", "right"])
    assert task.form(value, item, order) == form
    assert task.parse(form, item, [])["names"] == ["left", "right"]


@pytest.mark.parametrize("field", ["topic_labelling label", "topic_pair_matching name_a"])
@pytest.mark.parametrize(
    "name", ["\u200b\u200b", "\u200d \u2060", "\ufeff", "\u3164", "\u2800", "\u00ad", "\ufe0f"]
)
def test_a_name_of_which_nothing_can_be_seen_is_none(field, name):
    task, name_of = field.split()
    with pytest.raises(pages.AnswerError) as caught:
        pages.TASKS[task].parse({**ANSWERS[task], name_of: name}, ITEMS[task], [])
    assert caught.value.fields == {name_of: "name"}


def test_letters_of_any_script_stay_as_they_are_typed():
    task, persian = pages.TASKS["topic_labelling"], "می\u200cخواهم"
    said = task.parse(
        {**ANSWERS["topic_labelling"], "label": f"\ufeff{persian} so\u00adft"}, ITEMS[task.name], []
    )
    assert said["label"] == f"{persian} soft"


@pytest.mark.parametrize(("before", "after"), [("", ". So it is."), ("… the ", " price …")])
def test_a_marked_word_stands_in_its_text_as_it_was_written(before, after):
    options, shown = ("a, b", "c, d"), {"before": before, "word": "oil", "after": after}
    item = Sample("topic_word_matching", options, shown)
    question = pages.TASKS["topic_word_matching"].context(item, [0, 1], TEXT)
    html = pages.render("item", {**frame("topic_word_matching", TEXT), "question": question})
    text = re.sub(
        "<[^>]*>", "", html[html.index('class="text snippet"') :].partition("</p>")[0].partition(">")[2]
    )
    assert text == f"{before}the underlined word: oil{after}"


def test_familiarity_is_asked_where_a_study_wants_it():
    item, order = ITEMS["topic_intrusion"], [0, 1, 2, 3]
    task = pages.TASKS["topic_intrusion"]
    assert task.parse({"choice": "1", "familiarity": "sure"}, item, order) == {"choice": item.options[0]}
    assert (
        task.parse({"choice": "1", "familiarity": "sure"}, item, order, familiarity=True)["familiarity"]
        == "sure"
    )
    with pytest.raises(pages.AnswerError, match="familiarity"):
        task.parse({"choice": "1"}, item, order, familiarity=True)
    question = task.context(item, order, TEXT, familiarity=True)
    assert 'name="familiarity"' in pages.render(
        "item", {**frame("topic_intrusion", TEXT), "question": question}
    )
    assert 'name="familiarity"' not in pages.render("item", frame("topic_intrusion", TEXT))


@pytest.mark.parametrize("task", pages.TASKS)
def test_what_is_missing_is_said_at_its_field_and_what_was_given_is_kept(task):
    item = ITEMS[task]
    order = list(range(len(item.options)))
    fields = [name for name in ANSWERS[task] if name != "none"]
    for missing in fields:
        form = {name: value for name, value in ANSWERS[task].items() if name != missing}
        with pytest.raises(pages.AnswerError) as error:
            pages.TASKS[task].parse(form, item, order)
        messages = error.value.messages(TEXT)
        assert list(messages) == [missing]
        page = Markup(pages.render("item", {**frame(task, TEXT), "errors": messages, "kept": form}))
        line = page.having(id=f"error-{missing}")
        assert len(line) == 1
        assert any(f"error-{missing}" in (a.get("aria-describedby") or "").split() for _, a in page.tags)
        anchors = [a["href"][1:] for tag, a in page.tags if tag == "a" and a.get("href", "").startswith("#")]
        assert all(page.having(id=anchor) for anchor in anchors)
        assert "".join(page.text).count(messages[missing]) == 2  # in the list at the top and at the field
        for name, value in form.items():
            given = [a for a in page.having(name=name) if "checked" in a or a["type"] == "text"]
            assert [a["value"] for a in given][:1] == [value]


@pytest.mark.parametrize("wrong", ["0", "7", "-1", "01", "bread", "１", "", "1 "])
def test_a_choice_that_the_page_does_not_offer_is_refused(wrong):
    with pytest.raises(pages.AnswerError, match="choice"):
        pages.TASKS["word_intrusion"].parse(
            {"choice": wrong, "familiarity": "most"}, ITEMS["word_intrusion"], range(6)
        )


def test_a_name_that_is_too_long_or_of_nothing_seen_is_refused():
    task, item = pages.TASKS["topic_labelling"], ITEMS["topic_labelling"]
    with pytest.raises(pages.AnswerError) as error:
        task.parse({"label": "x" * 121, "sure": "1"}, item, [])
    assert error.value.messages(TEXT) == {"label": "This is too long: at most 120 letters."}
    with pytest.raises(pages.AnswerError, match="label"):
        task.parse({"label": "\u202e\x00\n", "sure": "1"}, item, [])


names = st.text(max_size=150)


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(pages.TASKS)),
    st.dictionaries(st.sampled_from(sorted({n for a in ANSWERS.values() for n in a} | {"none"})), names),
)
def test_any_form_is_an_answer_that_can_be_written_down_or_an_answer_error(task, form):
    item = ITEMS[task]
    try:
        value = pages.TASKS[task].parse(form, item, list(range(len(item.options))))
    except pages.AnswerError as error:
        error.messages(TEXT)  # each has a sentence
    else:
        json.dumps(value).encode()


def hostile(task):
    def spoil(entry):
        if isinstance(entry, str):
            return f"{HOSTILE} {entry}"
        if isinstance(entry, dict):
            return {name: spoil(part) for name, part in entry.items()}
        return [spoil(part) for part in entry]

    return Sample(task, tuple(spoil(ITEMS[task].options)), spoil(ITEMS[task].shown))


@pytest.mark.parametrize("task", pages.TASKS)
def test_hostile_words_and_names_are_text(task):
    study = dict.fromkeys(["title", "host", "contact"], HOSTILE)
    kept = dict.fromkeys(["name_a", "name_b", "label"], HOSTILE)
    told = {"study": study, "kept": kept, "errors": {"label": HOSTILE}, "hidden": {"PROLIFIC_PID": HOSTILE}}
    context = frame(task, TEXT, hostile(task), **told)
    for name in ("item", "feedback", "consent"):
        more = (
            {"practice": {"number": 1, "of": 2}, "right": False, "answer": HOSTILE, "why": HOSTILE}
            if name == "feedback"
            else {}
        )
        page = Markup(
            pages.render(name, {**context, **more, "items": 1, "payment": HOSTILE, "more": [HOSTILE]})
        )
        assert [tag for tag, _ in page.tags].count("script") == 1
        assert not [a for tag, a in page.tags if tag == "img" or "onerror" in a]
        assert HOSTILE in "".join(page.text)


def test_what_cannot_be_seen_is_shown_as_such():
    html = pages.render(
        "item", frame("word_intrusion", TEXT, Sample("word_intrusion", ("oil\u202egas", "\x07")))
    )
    assert "oil\ufffdgas" in html
    assert not set("\u202e\x07") & set(html)


def test_a_word_of_a_thousand_letters_is_cut_and_an_empty_one_is_marked():
    item = Sample("word_intrusion", ("w" * 1000, " ", "a" * 80))
    html = pages.render("item", frame("word_intrusion", TEXT, item))
    assert "w" * 40 + "…" + "w" * 10 in html
    assert "w" * 60 not in html
    assert ">␣<" in html
    assert "a" * 80 in html


def test_a_long_document_is_parted_and_nothing_of_it_is_lost():
    text = "\n\n".join(f"Paragraph {i} " + "word " * 40 for i in range(1000))
    parts = document({"title": " A\ntitle ", "text": text})
    assert parts["title"] == "A title"
    assert 500 < len(" ".join(parts["start"])) < 1200
    assert " ".join(parts["start"] + parts["rest"]).split() == text.split()
    assert parts["more"] == len(" ".join(parts["rest"]).split())
    assert document({"text": "x" * 5000})["start"] == ["x" * 1100]
    assert document({"title": None, "text": ""}) == {"title": "", "start": [], "rest": [], "more": 0}


@given(st.text(max_size=4000))
@settings(max_examples=40)
def test_no_letter_of_a_document_is_lost(text):
    parts = document({"text": text})
    assert "".join("".join(parts["start"] + parts["rest"]).split()) == "".join(text.split())


def test_a_study_words_the_sentences_its_own_way():
    story = pages.wording("en", {"document": "story", "documents": "stories"})
    html = pages.render("item", frame("topic_intrusion", story), story)
    assert ("fit this story?" in html, "this text" in html) == (True, False)
    own = pages.wording("de", {"word_intrusion.question": "Was ist hier *fremd*, <b>bitte</b>?"})
    assert "Was ist hier <em>fremd</em>, &lt;b&gt;bitte&lt;/b&gt;?" in pages.render(
        "item", frame("word_intrusion", own), own
    )
    assert pages.wording("en", {"word_intrusion.tips": ["Only this."]}).get("word_intrusion.tips") == (
        "Only this.",
    )
    assert pages.wording("de-AT").plain("page.back") == "Zurück"
    assert '<html lang="de-AT">' in pages.render("not-found", {}, "de-AT")


@pytest.mark.parametrize(
    ("language", "changes", "said"),
    [
        ("tlh", {}, "texts are there in de, en, but the study's language is 'tlh'"),
        ("en", {"documnet": "story"}, "'words.documnet' anew, but the texts of 'en' have no such sentence"),
        ("en", {"page": "x"}, "have no such sentence"),
        ("en", {"word_intrusion.tips": "x"}, "have no such sentence"),
        ("en", {"word_intrusion.question": "Which {word}?"}, "wants word in braces"),
    ],
)
def test_a_wording_that_cannot_be_is_refused(language, changes, said):
    with pytest.raises(InputError, match=said):
        pages.wording(language, changes)


def test_a_context_that_lacks_something_is_an_error_and_not_a_gap():
    from jinja2 import UndefinedError

    context = frame("word_intrusion", TEXT)
    del context["assignment"]
    with pytest.raises(UndefinedError, match="assignment"):
        pages.render("item", context)


def test_consent_wants_a_tick_and_a_choice_or_a_no():
    assert pages.parse_consent({"agree": "1", "stop": "delete"}) == {"agree": True, "stop": "delete"}
    assert pages.parse_consent({"no": "1", "agree": "1", "stop": "keep"})["agree"] is False
    with pytest.raises(pages.AnswerError) as error:
        pages.parse_consent({"agree": "yes", "stop": "perhaps"})
    assert set(error.value.messages(TEXT)) == {"agree", "stop"}


def test_every_question_of_a_screening_wants_one_of_its_options():
    questions = [{"name": "q1", "options": ["a", "b"]}, {"name": "q2", "options": ["a"]}]
    assert pages.parse_choices({"q1": "2", "q2": "1"}, questions) == {"q1": 1, "q2": 0}
    with pytest.raises(pages.AnswerError) as error:
        pages.parse_choices({"q1": "3"}, questions)
    assert set(error.value.fields) == {"q1", "q2"}


def test_static_files_are_named_with_what_they_hold():
    assert all((pages.STATIC / name).is_file() for name in ("study.css", "study.js", "icon.svg"))
    assert re.search(
        r"/prefix/static/study\.css\?v=[0-9a-f]{12}", pages.render("not-found", {"static": "/prefix/static"})
    )


def test_mail_addresses_can_be_pressed_and_nothing_else_becomes_markup():
    linked = pages.rendering.linked
    assert linked("Anna <a@b.org>, or x@y.de.") == (
        'Anna &lt;<a href="mailto:a@b.org">a@b.org</a>&gt;, or <a href="mailto:x@y.de">x@y.de</a>.'
    )
    assert "href" not in linked("<img src=x onerror=alert(1)>@x.org, call 030 12")
    assert "href" not in linked("w" * 100 + "@x.org")  # it is shown cut, and a cut address is none


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("en-GB,de;q=0.9", "en"),
        ("fr, de-AT;q=0.5, en;q=0.8", "en"),
        ("x" * 9999, "en"),
    ],
)
def test_outside_all_studies_pages_are_in_the_language_that_the_browser_asks_for(asked, language):
    assert pages.preferred(asked) == language


def test_a_title_says_where_one_is_and_names_the_study_once():
    titles = {name: re.findall("<title>(.*)</title>", show(name))[0] for name in NAMES}
    assert titles["consent"] == "Which words belong together?"
    assert titles["break"] == "A short break? · Which words belong together?"
    assert titles["quiz-again"] == "Please check: Is everything clear? · Which words belong together?"
    assert titles["feedback-wrong"] == "Not quite. Practice 1 of 2 · Which words belong together?"
    assert titles["item-errors"] == f"Please check: {titles['item-word_intrusion']}"
    template, context = page_contexts(TEXT)["consent"]
    other = {**context, "study": {**context["study"], "title": "Farms & <towns>"}}
    assert "<title>Farms &amp; &lt;towns&gt;</title>" in pages.render(template, other, TEXT)
    steps = [
        n for n in NAMES if not n.startswith(("item-", "instructions-", "thanks-", "wait-", "feedback-"))
    ]
    assert len({titles[name] for name in steps}) == len(steps)


def test_why_an_answer_to_the_quiz_is_wrong_is_told_with_its_question():
    page = Markup(show("quiz-again"))
    (described,) = [a for tag, a in page.tags if tag == "fieldset" and "aria-describedby" in a]
    assert described["aria-describedby"] == "why-q1"
    assert page.having(id="why-q1")


def test_the_first_heading_after_practice_is_what_the_answer_was():
    html = show("feedback-right")
    assert re.findall(r"<h1>(.*?)</h1>", html) == ["Right: “violin”."]
    assert 'aria-describedby="told"' in html


@pytest.mark.parametrize("name", ["paused", "resume", "withdraw"])
def test_where_there_are_no_questions_none_are_counted(name):
    template, context = page_contexts(TEXT)[name]
    page = Markup(pages.render(template, {**context, "done": 0, "total": 0}, TEXT))
    assert not [tag for tag, _ in page.tags if tag == "progress"]
    assert not re.search(r"\b0\b", "".join(page.text))
