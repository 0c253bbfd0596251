import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError, InputError, MissingExtra
from tealeaves.preprocess import Preprocess, stop_word_languages

texts = st.lists(st.text("ab cÉé'Σ", max_size=12), max_size=6)


def tokens(given_texts, **choices):
    """The documents as words; None for a token outside the vocabulary."""
    corpus = Corpus.from_texts(given_texts, Preprocess(**choices))
    words = [*corpus.vocabulary, None]
    return [[words[i] for i in corpus.document(d)] for d in range(len(corpus))]


def test_by_default_words_are_letters_in_lower_case_and_nothing_is_removed():
    assert tokens(["The Café's 3 RULES, the"]) == [["the", "café", "s", "rules", "the"]]
    corpus = Corpus.from_texts(["The"])
    assert corpus.gaps == "kept"
    assert "stop words: none removed" in corpus.preprocess


@given(texts)
def test_encoding_agrees_with_cutting_each_text(given_texts):
    for choices in (Preprocess(), Preprocess(lower=False), Preprocess(pattern=r"\w\w+")):
        corpus = Corpus.from_texts(given_texts, choices)
        found = [[corpus.vocabulary[i] for i in corpus.document(d)] for d in range(len(corpus))]
        assert found == [choices.words(text) for text in given_texts]


def test_a_pattern_or_a_function_may_cut_instead():
    assert tokens(["Oil-gas 42"], pattern=r"[a-z0-9]+") == [["oil", "gas", "42"]]
    assert tokens(["xOil xGas"], pattern=r"x(\w+)") == [["oil", "gas"]]
    assert tokens(["Oil-Gas"], tokenizer=lambda text: iter(text.split("-")), lower=False) == [["Oil", "Gas"]]


def test_a_text_is_normalised_before_a_pattern_sees_it():
    assert tokens(["CAFE\u0301 co\u00adop"], pattern="[a-zé]+") == [["café", "coop"]]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"pattern": "["}, "no regular expression"),
        ({"pattern": "(a)(b)"}, "2 groups"),
        ({"pattern": "a", "tokenizer": str.split}, "one of them"),
        ({"pattern": 5}, "pattern must be a regular expression in a string, but is 5"),
        ({"stop_words": 5}, "stop words must be a language, a file or words, but are 5"),
        ({"tokenizer": "split"}, "function"),
        ({"stop_words": "klingon"}, "there are: danish, dutch, english"),
        ({"stop_words": ["a", 1]}, "strings"),
        ({"min_df": -1}, "min_df must be a count"),
        ({"max_df": 1.5}, "max_df must be a count"),
        ({"min_df": True}, "min_df must be a count"),
        ({"min_df": 5, "max_df": 4}, "no word would be left"),
        ({"min_length": 5, "max_length": 4}, "no word has"),
        ({"ngrams": 0}, "ngrams"),
        ({"ngrams": (2, 1)}, "ngrams"),
        ({"ngrams": (1, 2, 3)}, "ngrams"),
        ({"stem": "klingon"}, "there are: .*english"),
    ],
)
def test_choices_that_cannot_be_met_are_refused_at_once(choices, message):
    with pytest.raises(InputError, match=message):
        Preprocess(**choices)


@pytest.mark.parametrize("wrong", [3, None, ["a"], b"a"])
def test_a_text_that_is_no_string_is_named(wrong):
    for choices in (Preprocess(), Preprocess(pattern="a")):
        with pytest.raises(InputError, match=r"text 1 \(counted from 0\) must be a string"):
            Corpus.from_texts(["a", wrong], choices)
    with pytest.raises(InputError, match="one text"):
        Corpus.from_texts("a text")
    for none in (None, 5, b"a text"):
        with pytest.raises(InputError, match="texts must be a list, but is"):
            Corpus.from_texts(none)
    with pytest.raises(InputError, match=r"a set has none: hand over a list, or sorted\(texts\)"):
        Corpus.from_texts({"oil", "gas"})


def test_a_tokenizer_that_returns_no_strings_is_named():
    with pytest.raises(InputError, match="tokenizer must return strings, but returned 1"):
        tokens(["a"], tokenizer=lambda text: [1])


@pytest.mark.parametrize("made", ["oil and gas", b"oil", None, 3])
def test_a_tokenizer_that_returns_no_list_is_told_what_to_do(made):
    with pytest.raises(InputError, match=r"returned .*, not words: .*tokenizer=str\.split"):
        tokens(["oil and gas"], tokenizer=lambda text: made)


def test_stop_words_go_and_their_neighbours_close_up():
    assert tokens(["The oil of THE north"], stop_words="english") == [["oil", "north"]]
    assert tokens(["oil gas tin"], stop_words=["GAS", "gas"]) == [["oil", "tin"]]
    assert Corpus.from_texts(["a"], Preprocess(stop_words=["b"])).gaps == "closed"


def test_stop_words_are_cut_like_the_text():
    found = tokens(["I don't; he won the don't", "don t", "don", "t don"], stop_words=["don't", "won't", "É"])
    assert found == [["i", "he", "won", "the"], [], ["don"], ["t", "don"]]
    assert tokens(["don", "t"], stop_words=["don't"]) == [["don"], ["t"]]  # not across documents
    assert tokens(["É e\u0301 e"], stop_words=["e\u0301"]) == [["e"]]


def test_stop_words_may_stand_in_a_file(tmp_path):
    (tmp_path / "stop.txt").write_text("\ufeffoil\n\n gas \n", "utf-8")
    assert tokens(["oil gas tin"], stop_words=tmp_path / "stop.txt") == [["tin"]]
    assert tokens(["oil gas tin"], stop_words=str(tmp_path / "stop.txt")) == [["tin"]]
    with pytest.raises(FileNotFoundError):
        Preprocess(stop_words=tmp_path / "none.txt")
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match=r"bad\.txt.*UTF-8"):
        Preprocess(stop_words=tmp_path / "bad.txt")


def test_stop_words_from_an_iterator_are_not_used_up():
    choices = Preprocess(stop_words=iter(["oil"]))
    for _ in range(2):
        assert Corpus.from_texts(["oil gas"], choices).vocabulary == ("gas",)


def test_named_lists_hold_function_words_and_no_topics():
    languages = stop_word_languages()
    assert {"english", "german", "french", "spanish", "russian"} <= set(languages)
    text = "the and of der und computer million states world"
    assert tokens([text], stop_words="english") == [["der", "und", "computer", "million", "states", "world"]]
    for language in languages:
        words = Preprocess(stop_words=language)._stop_list
        assert len(words) > 40
        assert not any("|" in word or " " in word for word in words)


def test_words_outside_the_limits_of_length_close_up():
    assert tokens(["a bc def ghij"], min_length=2, max_length=3) == [["bc", "def"]]
    assert Corpus.from_texts(["a"], Preprocess(min_length=2)).gaps == "closed"


def test_words_in_too_few_or_too_many_documents_keep_their_place():
    docs = ["a b", "a b c", "a c", "a d"]
    assert tokens(docs, min_df=2) == [["a", "b"], ["a", "b", "c"], ["a", "c"], ["a", None]]
    assert tokens(docs, max_df=0.5) == [[None, "b"], [None, "b", "c"], [None, "c"], [None, "d"]]
    assert tokens(docs, min_df=0.5, max_df=3) == [[None, "b"], [None, "b", "c"], [None, "c"], [None, None]]
    assert Corpus.from_texts(docs, Preprocess(min_df=2)).gaps == "kept"


def test_a_share_of_documents_is_exact_where_a_product_is_not():
    docs = ["x y"] * 7 + ["y"] * 93
    assert Corpus.from_texts(docs, Preprocess(min_df=0.07)).vocabulary == ("x", "y")  # 0.07 * 100 > 7
    assert Corpus.from_texts(docs, Preprocess(max_df=1)).vocabulary == ()  # 1 is a count
    assert Corpus.from_texts(docs, Preprocess(max_df=1.0)).vocabulary == ("x", "y")  # 1.0 is all


def test_limits_that_leave_no_word_are_reported():
    corpus = Corpus.from_texts(["a"], Preprocess(min_df=2))
    assert corpus.vocabulary == ()
    assert any("leave no word" in note for note in corpus.notes)


def test_stems_are_those_of_snowball():
    assert tokens(["Running runs easily"], stem="english") == [["run", "run", "easili"]]
    assert tokens(["Häuser"], stem="german") == [["haus"]]


def test_lemmas_are_those_of_simplemma():
    pytest.importorskip("simplemma")
    assert tokens(["mice were"], lemmatize="english") == tokens(["mice were"], lemmatize="en")
    assert tokens(["mice"], lemmatize="english") == [["mouse"]]
    with pytest.raises(InputError, match="no language 'klingon'"):
        tokens(["a"], lemmatize="klingon")


def test_without_simplemma_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "simplemma", None)
    with pytest.raises(MissingExtra, match=r"tealeaves\[lemmas\]"):
        tokens(["a"], lemmatize="english")


def test_words_and_pairs_have_no_order_but_pairs_alone_have():
    assert tokens(["a b c", "", "d"], ngrams=2) == [["a_b", "b_c"], [], []]
    assert tokens(["a b c", "d"], ngrams=(1, 2)) == [["a", "a_b", "b", "b_c", "c"], ["d"]]
    assert tokens(["a b c d"], ngrams=3) == [["a_b_c", "b_c_d"]]
    assert Corpus.from_texts(["a b"], Preprocess(ngrams=2)).ordered
    assert not Corpus.from_texts(["a b"], Preprocess(ngrams=(1, 2))).ordered


@given(texts, st.integers(1, 3), st.integers(0, 2))
def test_n_grams_are_all_runs_of_neighbours(given_texts, low, more):
    plain = tokens(given_texts)
    expected = [
        [
            "_".join(doc[i : i + n])
            for i in range(len(doc))
            for n in range(low, low + more + 1)
            if i + n <= len(doc)
        ]
        for doc in plain
    ]
    assert tokens(given_texts, ngrams=(low, low + more)) == expected


def test_every_choice_is_described():
    plain = Preprocess().describe()
    other = {
        "pattern": "x",
        "tokenizer": str.split,
        "lower": False,
        "stop_words": "english",
        "min_df": 2,
        "max_df": 0.5,
        "min_length": 2,
        "max_length": 9,
        "lemmatize": "english",
        "stem": "english",
        "ngrams": 2,
    }
    described = {Preprocess(**{name: value}).describe() for name, value in other.items()}
    assert len(described | {plain}) == len(other) + 1
    assert Preprocess(stop_words=["a"]).describe() != Preprocess(stop_words=["b"]).describe()


def test_a_stream_of_texts_gives_the_same_corpus_as_a_list(monkeypatch):
    monkeypatch.setattr("tealeaves.preprocess.PIECE", 200)  # many pieces, on many threads
    docs = [f"Word{chr(97 + i % 26)} number {'ΣΑΣ' * (i % 3)} cafe\u0301" for i in range(500)]
    listed, streamed = Corpus.from_texts(docs), Corpus.from_texts(iter(docs))
    assert listed.fingerprint == streamed.fingerprint
    assert listed.tokens.tolist() == streamed.tokens.tolist()
    assert list(listed.texts) == docs
    assert streamed.texts is None
    expected = [Preprocess().words(text) for text in docs]
    assert [len(doc) for doc in expected] == [len(listed.document(i)) for i in range(len(docs))]


def test_a_vocabulary_that_is_handed_over_keeps_the_places_of_other_words():
    corpus = Corpus.from_texts(["Oil and gas"], vocabulary=["gas", "oil"])
    assert corpus.tokens.tolist() == [1, -1, 0]


def test_real_speeches_are_cut_as_the_plain_way_does(data):
    import gzip
    import json

    with gzip.open(data / "sotu" / "state_of_the_union.jsonl.gz", "rt", encoding="utf-8") as file:
        speeches = [json.loads(line)["text"] for line in file][::12]
    corpus = Corpus.from_texts(speeches)
    choices = Preprocess()
    for i, speech in enumerate(speeches):
        found = [corpus.vocabulary[word] for word in corpus.document(i)]
        assert found == choices.words(speech)
    assert not any(re.search(r"[\W\d_]", word) for word in corpus.vocabulary)
