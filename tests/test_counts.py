"""Counts against counters so plain that they can be checked by eye."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tealeaves import Corpus
from tealeaves.blocks import DEALT, blocks_of, dealt
from tealeaves.counts import (
    DOCUMENT,
    Asked,
    PairCounts,
    TokenLists,
    Unit,
    count_all,
    count_contexts,
    count_documents,
    count_pairs,
    count_windows,
    window_unit,
)
from tealeaves.errors import InputError

LETTERS = ["a", "b", "c", "d"]
# words as models have them: tokens, n-grams with blanks or underscores, and words of no document
WORDS = [*LETTERS, "a b", "b_a", "a a", "a b c", "c_d_a_b", "zzz", "a zzz"]

token_lists = st.lists(st.lists(st.integers(-1, 3), max_size=14), max_size=9)
topic_lists = st.lists(st.lists(st.integers(0, len(WORDS) - 1), max_size=6), max_size=4)
windows = st.one_of(st.none(), st.integers(1, 17))


def source_of(documents, vocabulary=LETTERS, ordered=True):
    offsets = np.cumsum([0] + [len(d) for d in documents], dtype=np.int64)
    tokens = np.array([t for d in documents for t in d], dtype=np.int32)
    return TokenLists(tokens, offsets, vocabulary, ordered)


def spans(document, word):
    """First and last place of every occurrence of a word in a document of token ids."""
    parts = [word] if word in LETTERS else word.split() if " " in word else word.split("_")
    spelt = [LETTERS[t] if t >= 0 else None for t in document]
    return [
        (p, p + len(parts) - 1)
        for p in range(len(spelt) - len(parts) + 1)
        if spelt[p : p + len(parts)] == parts
    ]


def units_of(document, words, window):
    """The set of words in each unit of a document, from the definition of a boolean sliding window."""
    length = len(document)
    size = length if window is None else window
    places = {word: spans(document, word) for word in words}
    return [
        {w for w in words if any(t <= first and last < t + size for first, last in places[w])}
        for t in range(max(1, length - size + 1))
    ]


def gensim_s_units(document, words, window):
    """gensim 4.4's state: the first window's words, then the token that leaves is off and the new one on."""
    held = {LETTERS[t] for t in document[:window] if t >= 0}
    found = [held & set(words)]
    for start in range(1, len(document) - window + 1):
        gone, new = document[start - 1], document[start + window - 1]
        held = held - ({LETTERS[gone]} if gone >= 0 else set())
        held = held | ({LETTERS[new]} if new >= 0 else set())
        found.append(held & set(words))
    return found


def by_hand(documents, words, of):
    """Number of units, and counts of words and of all pairs, over ``of(document)``, sets of words."""
    every = [unit for document in documents for unit in of(document)]
    single = [sum(word in unit for unit in every) for word in words]
    pairs = {(i, j): sum({words[i], words[j]} <= unit for unit in every) for i, j in pairs_of(words)}
    return len(every), single, pairs


def pairs_of(words):
    return list(combinations(range(len(words)), 2))


def agree(counts, expected, topics):
    n, single, pairs = expected
    assert counts.n_units == n
    assert counts.singles.tolist() == single
    wanted = sorted({tuple(sorted(pair)) for topic in topics for pair in combinations(set(topic), 2)})
    for i, j in wanted:
        assert counts.joint(i, j) == counts.joint(j, i) == pairs[i, j], (WORDS[i], WORDS[j])
    n_words = len(single)
    assert counts.keys.tolist() == [i * n_words + j for i, j in wanted]


def same(left, right):
    assert left.unit == right.unit
    for name in ("n_units", "singles", "keys", "joints"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), err_msg=name)


# --- values from outside


def test_two_documents_of_two_words_share_half_of_the_windows():  # case 2: tomotopy 0.14 finds others
    counts = count_windows([[0, 1], [2, 3]], n_words=4, window=2)
    assert (counts.n_units, counts.singles.tolist()) == (2, [1, 1, 1, 1])
    assert [counts.joint(0, 1), counts.joint(2, 3), counts.joint(0, 2)] == [1, 1, 0]


def test_a_word_that_stands_twice_in_a_window_stays_when_its_first_copy_leaves():  # case 1
    texts = [[0, 0, 1]]  # a a b, windows [a a] and [a b]
    exact = count_windows(texts, n_words=2, window=2)
    assert (exact.n_units, exact.singles.tolist(), exact.joint(0, 1)) == (2, [2, 1], 1)
    unit = window_unit(2, "gensim")
    faulty = count_pairs(source_of(texts), ["a", "b"], [[0, 1]], [unit])[unit]
    assert (faulty.n_units, faulty.singles.tolist(), faulty.joint(0, 1)) == (2, [1, 1], 0)


def test_documents_of_one_token_count():  # case 23
    assert count_documents([[0], [1], [0, 1]], n_words=2).singles.tolist() == [2, 2]


def test_an_empty_document_is_a_unit_and_so_is_one_shorter_than_the_window():  # case 9
    for workers in (1, 2, 7):
        counts = count_pairs(
            source_of([[0, 1], [], [1, 0]]),
            LETTERS,
            [[0, 1]],
            [DOCUMENT, Unit("window", 10)],
            workers=workers,
        )
        for each in counts.values():
            assert (each.n_units, each.single(0), each.joint(0, 1)) == (3, 2, 2)


def test_contexts_are_counted_by_occurrence():
    counts = count_contexts([[0, 1, 0, 2, 2, 2, 2, 1]], n_words=3, distance=2)
    assert counts.singles.tolist() == [2, 2, 4]
    # a b: (0,1) (1,2); a c: (2,3) (2,4); b c: (1,3) (5,7) (6,7)
    assert [counts.joint(0, 1), counts.joint(0, 2), counts.joint(1, 2)] == [2, 2, 3]
    assert counts.n_units == 8 - 2 + 1


# --- brute force


@given(token_lists, topic_lists, st.lists(windows, min_size=1, max_size=4, unique=True), st.integers(1, 3))
def test_windows_and_documents_are_counted_as_by_hand(documents, topics, sizes, workers):
    units = [window_unit(size) for size in sizes]
    found = count_pairs(source_of(documents), WORDS, topics, units, workers=workers)
    for size, unit in zip(sizes, units, strict=True):
        agree(found[unit], by_hand(documents, WORDS, lambda d, w=size: units_of(d, WORDS, w)), topics)


@given(token_lists, st.integers(1, 17))
def test_gensim_s_forgetting_is_counted_as_gensim_does(documents, size):
    unit, topics = window_unit(size, "gensim"), [range(4)]
    counts = count_pairs(source_of(documents), LETTERS, topics, [unit])[unit]
    agree(counts, by_hand(documents, LETTERS, lambda d: gensim_s_units(d, LETTERS, size)), topics)


@given(token_lists, st.integers(1, 7), st.sampled_from(["", "palmetto"]))
def test_contexts_are_counted_as_by_hand(documents, distance, fault):
    unit = Unit("context", distance, fault)
    counts = count_pairs(source_of(documents), LETTERS, [range(4)], [unit])[unit]
    lengths = [len(d) - distance + 1 for d in documents]
    n = sum(lengths) if fault else sum(max(0, length) for length in lengths)
    single = [sum(d.count(w) for d in documents) for w in range(4)]
    pairs = {
        (a, b): sum(
            {d[p], d[q]} == {a, b}
            for d in documents
            for p, q in combinations(range(len(d)), 2)
            if q - p <= distance
        )
        for a, b in combinations(range(4), 2)
    }
    agree(counts, (n, single, pairs), [range(4)])


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(65, 100), windows, st.booleans())
def test_topics_of_more_words_than_a_bit_mask_holds_are_counted_whole(seed, size, window, two):
    rng = np.random.default_rng(seed)
    documents = [rng.integers(-1, 100, rng.integers(0, 30)).tolist() for _ in range(12)]
    topics = [rng.permutation(100)[:size].tolist()] + ([rng.permutation(100)[:70].tolist()] if two else [])
    unit = window_unit(window)
    vocabulary = [str(i) for i in range(100)]
    counts = count_pairs(source_of(documents, vocabulary), vocabulary, topics, [unit])[unit]
    single, joint, n = np.zeros(100, int), np.zeros((100, 100), int), 0
    for document in documents:
        width = len(document) if window is None else window
        for t in range(max(1, len(document) - width + 1)):
            held = sorted({w for w in document[t : t + width] if w >= 0})
            single[held] += 1
            joint[np.ix_(held, held)] += 1
            n += 1
    assert (counts.n_units, counts.singles.tolist()) == (n, single.tolist())
    for topic in topics:
        a, b = np.array(list(combinations(topic, 2))).T
        np.testing.assert_array_equal(counts.joint(a, b), joint[a, b])


def test_a_token_that_is_an_n_gram_itself_is_matched_as_that_token_only():
    documents = [[0, 1], [2]]
    source = source_of(documents, ["oil", "gas", "oil_gas"])
    counts = count_pairs(source, ["oil_gas", "oil gas"], [[0, 1]], [DOCUMENT])[DOCUMENT]
    assert counts.singles.tolist() == [1, 1]  # the token in document 1; the adjacent tokens in document 0
    assert counts.joint(0, 1) == 0


def test_an_n_gram_does_not_reach_over_the_end_of_a_document_or_a_token_outside_the_vocabulary():
    counts = count_pairs(source_of([[0], [1], [0, -1, 1], [0, 1]]), ["a b"], [[0]], [DOCUMENT])[DOCUMENT]
    assert counts.singles.tolist() == [1]


# --- parts and wholes


@given(token_lists, topic_lists, windows, st.integers(1, 12))
def test_blocks_add_up_to_the_whole_and_each_holds_whole_documents(documents, topics, size, blocks):
    source, unit = source_of(documents), window_unit(size)
    parts = count_pairs(source, WORDS, topics, [unit], blocks=blocks)[unit]
    assert parts.n_units.shape == (max(1, min(blocks, len(documents))),)
    whole = count_pairs(source, WORDS, topics, [unit])[unit]
    same(parts.total(), whole)
    ones = np.ones((1, len(parts.n_units)), dtype=np.int64)
    np.testing.assert_array_equal(parts.resampled(ones).joints[0], whole.joints)


@given(token_lists, topic_lists, windows, st.integers(0, 9))
def test_counts_of_two_parts_add_up_to_those_of_the_whole(documents, topics, size, cut):
    unit = window_unit(size)
    parts = (documents[:cut], documents[cut:])
    a, b = (count_pairs(source_of(part), WORDS, topics, [unit])[unit] for part in parts)
    same(a + b, count_pairs(source_of(documents), WORDS, topics, [unit])[unit])


@given(token_lists, topic_lists, windows, st.integers(0, 5))
def test_counts_are_the_same_on_any_number_of_threads(documents, topics, size, blocks):
    units = [window_unit(size), Unit("context", 3)]
    one, two = (
        count_pairs(source_of(documents), WORDS, topics, units, blocks=blocks, workers=workers)
        for workers in (1, 2)
    )
    for unit in units:
        same(one[unit], two[unit])


@given(token_lists, st.permutations(range(9)), topic_lists, windows)
def test_the_order_of_documents_does_not_matter(documents, order, topics, size):
    unit = window_unit(size)
    shuffled = [documents[i] for i in order if i < len(documents)]
    same(*(count_pairs(source_of(d), WORDS, topics, [unit])[unit] for d in (documents, shuffled)))


@given(token_lists, st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=4))
def test_restricted_counts_are_those_of_the_words_asked_for(documents, topics):
    counts = count_pairs(source_of(documents), LETTERS, [range(4)], [DOCUMENT], blocks=3)[DOCUMENT]
    width = max(map(len, topics))
    ids = np.array([t + [-1] * (width - len(t)) for t in topics], dtype=np.int32)
    part, local = counts.restricted(ids)
    assert (local == -1).tolist() == (ids == -1).tolist()
    assert part.singles.shape[-1] == len({w for t in topics for w in t})
    np.testing.assert_array_equal(part.single(local), counts.single(ids))
    np.testing.assert_array_equal(part.n_units, counts.n_units)
    i, j = np.triu_indices(width, k=1)
    np.testing.assert_array_equal(part.joint(local[:, i], local[:, j]), counts.joint(ids[:, i], ids[:, j]))


def test_topics_without_words_restrict_counts_to_nothing():
    part, local = count_documents([[0, 1]], n_words=2).restricted(np.full((2, 3), -1, np.int32))
    assert (part.singles.size, part.keys.size, local.tolist()) == (0, 0, [[-1] * 3] * 2)


@given(token_lists, st.lists(st.integers(0, 4), min_size=1, max_size=5))
def test_a_resample_counts_each_block_as_often_as_it_was_drawn(documents, drawn):
    blocks = count_pairs(source_of(documents), LETTERS, [range(4)], [DOCUMENT], blocks=5)[DOCUMENT]
    n_blocks = len(blocks.n_units)
    drawn = [d % n_blocks for d in drawn]
    resample = blocks.resampled(np.bincount(drawn, minlength=n_blocks)[None])
    assert resample.n_units.tolist() == [sum(int(blocks.n_units[d]) for d in drawn)]
    np.testing.assert_array_equal(resample.singles[0], sum(blocks.singles[d] for d in drawn))
    np.testing.assert_array_equal(resample.joints[0], sum(blocks.joints[d] for d in drawn))


def test_progress_is_told_up_to_the_last_document(monkeypatch):
    monkeypatch.setattr("tealeaves.counts.DOCUMENTS", 3)
    told = []
    count_pairs(
        source_of([[0, 1]] * 8), LETTERS, [[0, 1]], [DOCUMENT], blocks=4, progress=lambda *a: told.append(a)
    )
    assert told == [(3, 8), (6, 8), (8, 8)]


@given(token_lists, topic_lists, windows, st.integers(0, 5), st.integers(1, 4), st.integers(1, 20))
def test_looking_at_a_few_documents_at_a_time_changes_no_count(documents, topics, size, blocks, few, tokens):
    units, source = [window_unit(size), Unit("context", 3)], source_of(documents)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tealeaves.blocks.DEALT", 4)  # documents beyond are dealt a few at a time, too
        whole = count_pairs(source, WORDS, topics, units, blocks=blocks, workers=1)
        patch.setattr("tealeaves.counts.DOCUMENTS", few)
        patch.setattr("tealeaves.counts.TOKENS", tokens)
        parts = count_pairs(source, WORDS, topics, units, blocks=blocks, workers=2)
    for unit in units:
        same(whole[unit], parts[unit])


@given(token_lists, topic_lists, windows, st.integers(1, 5))
def test_several_counts_in_one_pass_are_those_of_a_pass_each(documents, topics, size, blocks):
    source = source_of(documents)
    asked = [
        Asked(WORDS, topics, [window_unit(size)], blocks),
        Asked(["a b", "c"], [[0, 1]], [DOCUMENT, Unit("context", 2)]),
        Asked(LETTERS, [range(4)], [window_unit(3, "gensim")]),
    ]
    for one, found in zip(asked, count_all(source, asked, workers=2), strict=True):
        alone = count_pairs(source, one.words, one.topics, one.units, blocks=one.blocks)
        assert list(found) == list(one.units)
        for unit in one.units:
            same(found[unit], alone[unit])


def test_any_part_of_many_documents_is_dealt_as_the_whole_and_blocks_are_about_equal():
    whole = dealt(3 * DEALT + 5, 100, 0, 3 * DEALT + 5)
    for first, last in ((0, 7), (DEALT - 3, DEALT + 3), (DEALT + 1, 3 * DEALT), (3 * DEALT, len(whole))):
        np.testing.assert_array_equal(dealt(len(whole), 100, first, last), whole[first:last])
    sizes = np.bincount(whole)  # 7,864 each; the standard deviation of that is 88
    assert len(sizes) == 100
    assert abs(sizes - len(whole) / 100).max() < 5 * 88


def test_few_documents_are_dealt_to_blocks_of_equal_size():
    block_of = dealt(1_000, 30, 0, 1_000)
    for block, documents in enumerate(blocks_of(1_000, 30)):
        assert (block_of[documents] == block).all()
        assert len(documents) in (33, 34)


def test_the_memory_of_a_pass_does_not_grow_with_the_corpus(monkeypatch):
    monkeypatch.setattr("tealeaves.counts.DOCUMENTS", 1 << 12)
    monkeypatch.setattr("tealeaves.blocks.DEALT", 1 << 12)
    peaks = []
    for blocks in (0, 10):
        for n_documents in (1 << 14, 1 << 17):
            tokens = np.arange(4 * n_documents, dtype=np.int32) % 4
            source = TokenLists(tokens, np.arange(0, len(tokens) + 1, 4), LETTERS)
            asked = [Asked(LETTERS, [range(4)], [DOCUMENT, window_unit(2)], blocks)]
            count_all(source, asked, workers=2)  # compiled
            tracemalloc.start()
            count_all(source, asked, workers=2)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < peaks[0] + 20_000
    assert peaks[3] < peaks[2] + 20_000


# --- looking up, and what is refused


def test_an_uncounted_pair_is_refused_and_named():
    counts = count_pairs(source_of([[0, 1, 2]]), LETTERS, [[0, 1], [2]], [DOCUMENT])[DOCUMENT]
    assert counts.joint(0, 1) == 1
    with pytest.raises(InputError, match=r"pair of words 0 and 2 was not counted; count the topics"):
        counts.joint(np.array([0, 0]), np.array([1, 2]))


def test_padding_counts_0_and_a_word_with_itself_counts_as_the_word():
    counts = count_documents([[0, 1], [0]], n_words=2)
    assert counts.single(np.array([0, -1])).tolist() == [2, 0]
    assert counts.joint(np.array([0, -1, 1, 0]), np.array([0, 0, -1, 1])).tolist() == [2, 0, 0, 1]


def test_windows_are_refused_on_a_corpus_without_order_and_documents_are_not():
    corpus = Corpus.from_matrix([[1, 1], [2, 0]], ["a", "b"])
    with pytest.raises(
        InputError, match=r"window:10 needs the order of tokens, .* document-term matrix; use"
    ):
        count_pairs(corpus, ["a", "b"], [[0, 1]], [DOCUMENT, Unit("window", 10)])
    with pytest.raises(InputError, match="context:5 needs the order"):
        count_pairs(corpus, ["a", "b"], [[0, 1]], [Unit("context", 5)])
    assert count_pairs(corpus, ["a", "b"], [[0, 1]], [DOCUMENT])[DOCUMENT].singles.tolist() == [2, 1]


def test_counts_by_another_unit_or_of_other_pairs_do_not_add_up():
    by_document = count_documents([[0, 1]], n_words=2)
    with pytest.raises(InputError, match="same unit"):
        by_document + count_windows([[0, 1]], n_words=2, window=3)
    one, other = (
        count_pairs(source_of([[0, 1, 2]]), LETTERS, [pair], [DOCUMENT])[DOCUMENT]
        for pair in ([0, 1], [0, 2])
    )
    with pytest.raises(InputError, match="same pairs"):
        one + other


def test_word_ids_outside_the_vocabulary_are_refused():
    with pytest.raises(InputError, match=r"-1 to 1; got 0 to 2"):
        count_documents([[0, 2]], n_words=2)


def test_joint_counts_that_are_no_symmetric_matrix_are_refused():
    with pytest.raises(InputError, match=r"symmetric .* \(1, 2\)"):
        PairCounts.from_matrix("document", 3, [[1, 2]])
    with pytest.raises(InputError, match="symmetric"):
        PairCounts.from_matrix("document", 3, [[1, 2], [1, 2]])
