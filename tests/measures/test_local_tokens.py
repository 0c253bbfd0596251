"""Where tokens stand in their texts: real corpora, letters that change their length, what does not align."""

import json
import re
import unicodedata
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import InputError, MissingInput
from tealeaves.letters import normalise
from tealeaves.tokens import sentence_ends, sentence_ids, spans

letters_and_signs = st.text(
    alphabet=st.one_of(
        st.sampled_from("abc AB éß.,!\n\u00ad\u0301\u0323İıΣσς가\u1100\u1161\u11a8ﬁ_'’1"),
        st.characters(codec="utf-8"),
    ),
    max_size=40,
)


def shown(corpus, d, **options):
    """What stands at each token's place in the text."""
    return [corpus.texts[d][a:b] for a, b, _ in spans(corpus, d, **options)]


def words_of(corpus, d):
    return [corpus.vocabulary[i] if i >= 0 else None for i in corpus.document(d)]


def check(corpus):
    """Every token has a place, in order, where the text says the token; returns how many there are."""
    n = 0
    for d in range(len(corpus)):
        found = spans(corpus, d)
        assert [t for _, _, t in found] == list(range(len(corpus.document(d))))
        assert all(a < b for a, b, _ in found)
        assert all(x.end <= y.start for x, y in pairwise(found))
        for (a, b, _), word in zip(found, words_of(corpus, d), strict=True):
            assert word is None or normalise(corpus.texts[d][a:b]) == word
        n += len(found)
    return n


# --- real corpora


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stop_words"),
    [
        ("reuters/reuters_apte", "english"),
        ("reuters/reuters_apte", ["the", "of"]),
        ("20newsgroups/20newsgroups", "english"),
    ],
)
def test_every_token_of_real_corpora_stands_in_its_text(data, name, stop_words):
    choices = tl.Preprocess(stop_words=stop_words, min_df=5)
    corpus = tl.read_corpus(data / f"{name}.jsonl.gz", preprocess=choices)
    assert check(corpus) == corpus.n_tokens


@pytest.mark.slow
def test_every_token_of_reuters_that_was_handed_over_is_found_without_preprocessing(data):
    made = tl.read_corpus(data / "reuters" / "reuters_apte.jsonl.gz")
    some = made.select(range(0, len(made), 10))
    docs = [words_of(some, d) for d in range(len(some))]
    corpus = replace(tl.Corpus.from_tokens(docs), texts=tuple(some.texts))
    assert check(corpus) == corpus.n_tokens


def test_a_saved_corpus_still_knows_where_its_tokens_stand(tmp_path):
    choices = tl.Preprocess(stop_words="english", min_length=3, stem="english", min_df=2)
    texts = ["The prices of oil didn't fall.", "Price, price: falling oil!", "A tin."]
    corpus = tl.Corpus.from_texts(texts, choices)
    corpus.save(tmp_path / "corpus")
    loaded = tl.load_corpus(tmp_path / "corpus")
    assert shown(loaded, 0) == shown(corpus, 0) == ["prices", "oil", "fall"]
    assert shown(loaded, 1) == ["Price", "price", "falling", "oil"]
    assert words_of(loaded, 2) == [None]
    assert shown(loaded, 2) == ["tin"]


def test_a_file_that_was_read_is_aligned(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(json.dumps({"text": t}) for t in ["Oil & GAS.", "", "Tax law"]), "utf-8")
    corpus = tl.read_corpus(path)
    assert [shown(corpus, d) for d in range(3)] == [["Oil", "GAS"], [], ["Tax", "law"]]


# --- letters that change


@given(letters_and_signs)
def test_any_text_is_aligned_with_its_tokens(text):
    corpus = tl.Corpus.from_texts([text, "oil"])
    found = spans(corpus, 0)
    assert len(found) == len(corpus.document(0))
    for (a, b, _), word in zip(found, words_of(corpus, 0), strict=True):
        there = normalise(text[a:b])
        assert there.replace("ς", "σ") == word.replace("ς", "σ")  # a sigma at the end of what was cut out


@given(letters_and_signs, st.booleans())
def test_so_it_is_by_a_pattern_and_with_case_kept(text, lower):
    choices = tl.Preprocess(pattern=r"\w+", lower=lower)
    corpus = tl.Corpus.from_texts([text], choices)
    for (a, b, _), word in zip(spans(corpus, 0), words_of(corpus, 0), strict=True):
        # a mark is cut off from its letter by \w; both stand at one place, and the letter brings its marks
        assert word.replace("ς", "σ") in normalise(text[a:b], lower=lower).replace("ς", "σ")


def test_accents_soft_hyphens_and_long_lower_case_do_not_shift_what_follows():
    text = "Cafe\u0301 co\u00adop \u0130stanbul \u1112\u1161\u11ab oil"
    corpus = tl.Corpus.from_texts([text])
    assert shown(corpus, 0) == ["Cafe\u0301", "co\u00adop", "\u0130stanbul", "\u1112\u1161\u11ab", "oil"]
    assert words_of(corpus, 0)[3] == "한"


def test_lemmas_and_stems_stand_where_their_words_do():
    pytest.importorskip("simplemma")
    corpus = tl.Corpus.from_texts(
        ["The mice were running"], tl.Preprocess(lemmatize="english", stop_words="english")
    )
    assert list(zip(words_of(corpus, 0), shown(corpus, 0), strict=True)) == [
        ("mouse", "mice"),
        ("run", "running"),
    ]


def test_n_grams_reach_over_the_stop_words_between_their_parts():
    choices = tl.Preprocess(stop_words="english", ngrams=2)
    corpus = tl.Corpus.from_texts(["Bank of England rates"], choices)
    assert words_of(corpus, 0) == ["bank_england", "england_rates"]
    assert shown(corpus, 0) == ["Bank of England", "England rates"]
    both = tl.Corpus.from_texts(["Bank of England rates"], replace(choices, ngrams=(1, 2)))
    assert shown(both, 0) == ["Bank", "Bank of England", "England", "England rates", "rates"]


def test_stop_words_of_two_tokens_go_where_they_stand_together():
    corpus = tl.Corpus.from_texts(["Don't tell Don"], tl.Preprocess(stop_words=["don't"]))
    assert words_of(corpus, 0) == ["tell", "don"]
    with_choices = shown(corpus, 0, preprocess=tl.Preprocess(stop_words=["don't"]))
    assert with_choices == ["tell", "Don"]


def test_a_list_of_stop_words_that_is_not_stored_is_done_without():
    choices = tl.Preprocess(stop_words=["the", "of"])
    corpus = tl.Corpus.from_texts(["The price of the oil"], choices)
    assert shown(corpus, 0) == ["price", "oil"]
    pairs = tl.Corpus.from_texts(["The price of the oil"], replace(choices, ngrams=2))
    with pytest.raises(MissingInput, match="n-grams cannot be found in the text without the stop words"):
        spans(pairs, 0)
    assert shown(pairs, 0, preprocess=replace(choices, ngrams=2)) == ["price of the oil"]


def test_a_stop_word_file_is_read_again_and_forgotten_once_it_has_changed(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("the\nof\n", "utf-8")
    choices = tl.Preprocess(stop_words=path, ngrams=2)
    corpus = tl.Corpus.from_texts(["The price of oil"], choices)
    assert shown(corpus, 0) == ["price of oil"]
    path.write_text("the\n", "utf-8")
    from tealeaves import tokens

    tokens._rules.cache_clear()
    with pytest.raises(MissingInput, match="n-grams cannot be found"):
        spans(corpus, 0)


# --- tokens that were handed over


def with_texts(docs, texts):
    return replace(tl.Corpus.from_tokens(docs), texts=texts)


def test_tokens_handed_over_are_found_as_whole_words_before_parts_of_words():
    corpus = with_texts([["oil", "Oil"]], ["Spoiled oil, Oil."])
    assert shown(corpus, 0) == ["oil", "Oil"]
    assert spans(corpus, 0)[0].start == 8


def test_they_are_found_in_any_case_as_stems_and_as_n_grams():
    corpus = with_texts([["bank_england", "raise"], ["run", "jump"], ["new york"]],
                        ["The Bank, England RAISE", "Running, jumped", "New  York"])  # fmt: skip
    assert [shown(corpus, d) for d in range(3)] == [
        ["Bank, England", "RAISE"],
        ["Run", "jump"],
        ["New  York"],
    ]


def test_text_without_blanks_between_words_is_aligned():
    corpus = with_texts([["石油", "价格"]], ["石油的价格"])
    assert [(a, b) for a, b, _ in spans(corpus, 0)] == [(0, 2), (3, 5)]


def test_tokens_of_a_tokenizer_of_one_s_own_are_looked_for():
    corpus = tl.Corpus.from_texts(
        ["Oil-price up"], tl.Preprocess(tokenizer=lambda text: re.split(r"[- ]", text))
    )
    assert shown(corpus, 0) == ["Oil", "price", "up"]
    split = tl.Corpus.from_texts(["Oil up!"], tl.Preprocess(tokenizer=str.split, lower=False))
    assert shown(split, 0) == ["Oil", "up!"]


def test_tokens_that_are_not_in_the_text_are_refused_with_document_and_token():
    corpus = with_texts([["oil"], ["oil", "gas", "tin"]], ["oil", "Gas and oil"])
    with pytest.raises(
        InputError, match=r"document 1: the text does not give its tokens, from token 1 \('gas'\) of 3"
    ):
        spans(corpus, 1)


def test_texts_of_other_documents_are_refused_where_they_are_cut_again():
    corpus = tl.Corpus.from_texts(["oil gas", "tax law"], ids=["a", "b"])
    swapped = replace(corpus, texts=["tax law", "oil gas"])
    with pytest.raises(
        InputError, match=r"document 0 'a': cut as the corpus says, .* from token 0 \('oil'\) of 2"
    ):
        spans(swapped, 0)
    longer = replace(corpus, texts=["oil gas tax", "tax law"])
    with pytest.raises(InputError, match=r"document 0 'a'.*from token 1"):
        spans(longer, 0)
    empty = tl.Corpus.from_texts(["", "oil"])
    with pytest.raises(InputError, match="document 0 has no tokens, but"):
        spans(replace(empty, texts=["oil", "oil"]), 0)


def test_a_corpus_without_texts_or_order_is_refused():
    with pytest.raises(MissingInput, match="has no texts"):
        spans(tl.Corpus.from_tokens([["oil"]]), 0)
    bags = replace(tl.Corpus.from_matrix([[1, 1]], ["gas", "oil"]), texts=["gas oil"])
    with pytest.raises(MissingInput, match="have no order"):
        spans(bags, 0)


def test_a_token_outside_the_vocabulary_has_its_place_where_the_text_is_cut_again():
    corpus = tl.Corpus.from_texts(["oil zinc gas"], vocabulary=["gas", "oil"])
    assert shown(corpus, 0) == ["oil", "zinc", "gas"]
    given = replace(
        tl.Corpus.from_tokens([["oil", "zinc", "gas"]], vocabulary=["gas", "oil"]), texts=["oil zinc gas"]
    )
    assert [(s.start, s.token) for s in spans(given, 0)] == [(0, 0), (9, 2)]


def test_a_document_of_a_hundred_thousand_tokens_is_aligned():
    text = "Öl und Gas. " * 33_334
    corpus = tl.Corpus.from_texts([unicodedata.normalize("NFD", text)])
    found = spans(corpus, 0)
    assert len(found) == 100_002
    assert found[-1].end == len(corpus.texts[0]) - 2


# --- sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Oil fell. Gas rose! Why? 3 reasons…  No.",
            ["Oil fell.", " Gas rose!", " Why?", " 3 reasons…", "  No."],
        ),
        ("He said “no.” Then (yes!) and went.", ["He said “no.”", " Then (yes!) and went."]),
        ("Prices, e.g. of oil, fell 3.5 %.", ["Prices, e.g. of oil, fell 3.5 %."]),
        ("J. Smith of the U.S. Treasury", ["J. Smith of the U.S. Treasury"]),
        ("Mr. Brown met Dr. Smith vs. Prof. Lee.", ["Mr. Brown met Dr. Smith vs. Prof. Lee."]),
        ("1. First. 2. Second.", ["1. First.", " 2. Second."]),
        ("Items:\n 12. Oil\nIt rose by 5. Gas fell.", ["Items:\n 12. Oil\nIt rose by 5.", " Gas fell."]),
        ("In 1999. Then more. 1999. More.", ["In 1999.", " Then more.", " 1999.", " More."]),
        ("A title\n\nthe text\n  \nmore", ["A title\n", "\nthe text\n  ", "\nmore"]),
        ("油价下跌。为什么？", ["油价下跌。", "为什么？", ""]),
        ("", [""]),
        ("...", ["..."]),
    ],
)
def test_sentences_end_where_the_rule_says(text, sentences):
    bounds = [0, *sentence_ends(text), len(text)]
    assert [text[a:b] for a, b in pairwise(bounds)] == sentences


def test_each_token_is_in_the_sentence_of_its_first_letter_and_documents_share_none():
    corpus = tl.Corpus.from_texts(["Oil fell. Gas, too.", "", "Why? No!"], tl.Preprocess(stop_words=["too"]))
    assert sentence_ids(corpus).tolist() == [0, 0, 1, 2, 3]


@given(st.lists(st.text(alphabet="abc .!?\nAB", max_size=30), min_size=1, max_size=5))
def test_sentence_numbers_never_fall_and_change_between_documents(texts):
    corpus = tl.Corpus.from_texts(texts)
    found = sentence_ids(corpus)
    assert (np.diff(found) >= 0).all()
    document = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    assert len({(d, s) for d, s in zip(document.tolist(), found.tolist(), strict=True)}) == len(
        set(found.tolist())
    )


def test_data_frames_keep_their_texts():
    frame = pl.DataFrame({"text": ["Oil and gas", None]})
    corpus = tl.Corpus.from_frame(frame)
    assert shown(corpus, 0) == ["Oil", "and", "gas"]
    assert shown(corpus, 1) == []
