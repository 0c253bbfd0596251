import re
import sys
import unicodedata
from itertools import chain

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tealeaves import letters
from tealeaves.letters import Tokenizer, normalise, tables, words

# What has gone wrong in other tokenisers: composition, reordering, case that grows or looks around, joiners.
HARD = (
    "aAzZéÉ\u0301\u0316\u0327\u0323ΣσςİıßẞŉǅA\u030aÅ\u212b\u1e9b\u0345ᾈ가\u1100\u1161\u11a8\u00ad\u200c\u200d"
    "\u0915\u093c\u094d\u0937\u05d0\u05b0\u0f73\u0344\ufb01\U00010400\U0001d15e\U0001e900\U000e0100²½Ⅷ९"
    " \n\t\x1c\x85\u00a0\u2028.:'’-_0;\u037e\ud800\x00中文"
)
anything = st.text(st.characters(codec=None))
hard = st.text(st.sampled_from(HARD))
mixed = st.lists(st.one_of(hard, anything, st.text("abc AB"))).map("".join)


def cut(texts, lower=True):
    tokenizer = Tokenizer(lower=lower)
    ids, lengths = tokenizer.encode(texts)
    names = tokenizer.words()
    ends = np.cumsum(lengths).tolist()
    flat = [names[i] for i in ids]
    return [flat[end - n : end] for end, n in zip(ends, lengths.tolist(), strict=True)]


@given(st.lists(mixed, max_size=6), st.booleans())
@example(["ΟΔΟΣ ΣΑΣ' ΑΣ.Β"], True)
@example(["e\u0301 e\u0316\u0301 e\u0301\u0316", "", "\u0301e"], True)
@example(["co\u00adop İstanbul", "x" * 5000], False)
def test_the_kernel_cuts_any_text_as_the_plain_way_does(texts, lower):
    assert cut(texts, lower) == [words(text, lower=lower) for text in texts]


@given(anything)
def test_the_plain_way_finds_letters_with_what_belongs_to_them(text):
    for word in words(text, lower=False):
        assert unicodedata.category(word[0])[0] == "L"
        assert all(unicodedata.category(c)[0] in "LM" or c in letters.JOINERS for c in word)


@pytest.mark.parametrize("lower", [True, False])
def test_every_character_alone_is_cut_as_the_plain_way_does(lower):
    codes = [
        *chain(*letters.WRITTEN),
        *range(0x40000, sys.maxunicode + 1, 101),
    ]  # no letters up there: a test
    texts = [f"x{chr(code)}Y {chr(code)}" for code in codes]
    tokenizer = Tokenizer(lower=lower)
    ids, lengths = tokenizer.encode(texts)
    names = tokenizer.words()
    expected = [words(text, lower=lower) for text in texts]
    assert lengths.tolist() == [len(found) for found in expected]
    assert [names[i] for i in ids] == list(chain(*expected))


def test_all_letters_and_marks_lie_where_they_are_looked_for():
    looked_at = {code for codes in letters.WRITTEN for code in codes}
    found = {c for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c))[0] in "LM"}
    assert found <= looked_at


def test_ascii_is_cut_as_a_simple_pattern_would():
    text = "Don't STOP_me now-42x, co-op\x00end"
    assert words(text) == re.findall("[a-z]+", text.lower())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Naïve cafés", ["naïve", "cafés"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("ΟΔΥΣΣΕΥΣ", ["οδυσσευς"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("re\u00adpublic", ["republic"]),
        ("x² 3½ Ⅷ", ["x"]),
        ("", []),
    ],
)
def test_words_are_what_a_reader_takes_for_words(text, expected):
    assert words(text) == expected
    assert cut([text]) == [expected]


def test_the_table_of_words_grows_without_losing_any():
    texts = [
        " ".join(f"w{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{'x' * (i // 676)}" for i in range(90_000))
    ]
    assert cut(texts) == [words(texts[0])]


def test_more_odd_stretches_than_expected_are_all_cut():
    text = " ".join(["ΣΑΣ", "cafe\u0301", "oil"] * 3000)
    assert cut([text, text]) == [words(text)] * 2


def test_one_tokenizer_numbers_the_words_of_all_its_texts_alike():
    tokenizer = Tokenizer()
    first, _ = tokenizer.encode(["oil ΓΑΣ"])
    second, _ = tokenizer.encode(["ΓΑΣ oil tin"])
    names = tokenizer.words()
    assert [names[i] for i in [*first, *second]] == ["oil", "γας", "γας", "oil", "tin"]


def test_the_tables_know_lower_case_only_if_asked():
    assert tables(True).plain[ord("A")] == ord("a")
    assert tables(False).plain[ord("A")] == ord("A")
    assert normalise("AÉ", lower=False) == "AÉ"


def test_words_of_any_length_are_told_apart_wherever_they_end():
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    long = alphabet * 3
    named = [long[:n] for n in range(1, 60)] + [long[:n] + "Z" for n in range(1, 60)]
    texts = [*named, *(f"{word},{word.upper()} é{word} {word}é" for word in named), " ".join(named)]
    assert cut(texts) == [words(text) for text in texts]
    assert cut(texts, False) == [words(text, lower=False) for text in texts]


@given(st.lists(st.text("aB -é", max_size=12), max_size=8))
def test_a_document_ends_where_the_next_begins(texts):
    assert cut(texts) == [words(text) for text in texts]


def test_texts_in_utf8_are_the_texts():
    texts = ["Oil", "", "Ünder \ud83d", "\U0001f600"]
    assert list(letters.Texts.of(texts)) == texts
    assert len(letters.Texts.of([])) == 0
