"""Two curators' reference topics as one set."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import InputError
from tealeaves.human import Curation, Item, merge_curations
from tealeaves.human.curation_alike import likeness
from tealeaves.human.curation_state import CuratedTopic

WORDS = {
    "i0001": ["oil", "gas", "opec", "crude", "said", "gulf"],
    "i0002": ["wheat", "corn", "crop", "said", "grain", "rain"],
    "i0003": ["bank", "rate", "loan", "money", "said", "fed"],
}


def items():
    ids = {"i0001": "ac", "i0002": "bd", "i0003": "e"}
    documents = {name: [{"id": d, "title": "", "text": d} for d in of] for name, of in ids.items()}
    return [
        Item(
            name, "reference_topic_curation", "lda", k,
            shown={"words": words, "weights": None, "documents": documents[name]},
        )
        for k, (name, words) in enumerate(WORDS.items())
    ]  # fmt: skip


def made(topic, item, label, words, documents=()):
    return {
        "do": "make",
        "topic": topic,
        "item": item,
        "label": label,
        "words": words,
        "documents": list(documents),
    }


def curator(name, *events):
    return Curation(items(), events, name)


def ana():
    return curator(
        "R-001",
        made("r1", "i0001", "energy", ["oil", "gas", "opec"], ["a"]),
        made("r2", "i0002", "grain", ["wheat", "corn"], ["b"]),
        {"do": "discard", "item": "i0003", "reason": "mixed"},
    )


def ben():
    return curator(
        "R-002",
        made("q1", "i0001", "oil", ["oil", "opec", "crude"], ["a", "c"]),
        made("q2", "i0003", "money", ["bank", "loan"]),
        made("q3", "i0002", "Grain", ["wheat", "crop"], ["b"]),
    )


def test_topics_of_one_name_are_one_and_others_by_their_likeness():
    found = merge_curations(ana(), ben())
    pairs = [
        (m.first.label if m.first else None, m.second.label if m.second else None) for m in found.matches
    ]
    assert set(pairs) == {("energy", "oil"), ("grain", "Grain"), (None, "money")}
    energy = next(m for m in found.matches if m.label == "energy")
    assert energy.likeness == pytest.approx((1 + 2 / 4 + 1 / 2) / 3)  # topics of models, words, documents
    assert any("'energy' of R-001 and 'oil' of R-002 are taken for one" in note for note in found.notes)


def test_what_either_ticked_is_kept_or_only_what_both_did():
    either, both = (merge_curations(ana(), ben(), keep).curation.state for keep in ("either", "both"))
    words = {topic.label: set(topic.words) for topic in either.topics.values()}
    assert words["energy"] == {"oil", "gas", "opec", "crude"}
    assert words["money"] == {"bank", "loan"}
    shared = {topic.label: (set(topic.words), set(topic.documents)) for topic in both.topics.values()}
    assert shared == {"energy": ({"oil", "opec"}, {"a"}), "grain": ({"wheat"}, {"b"})}


def test_what_one_made_and_the_other_agreed_to_counts_as_of_both():
    agrees = ana().do({"do": "judge", "curator": "R-002", "topic": "q2", "verdict": "agree", "at": 3})
    found = merge_curations(agrees, ben(), "both")
    assert "money" in {topic.label for topic in found.curation.state.topics.values()}
    disagrees = ana().do({"do": "judge", "curator": "R-002", "topic": "q2", "verdict": "disagree", "at": 3})
    notes = merge_curations(disagrees, ben(), "both").notes
    assert "left out, because R-001 disagrees: money" in notes


def test_a_judgement_of_an_earlier_version_is_no_agreement():
    agrees = ana().do({"do": "judge", "curator": "R-002", "topic": "q2", "verdict": "agree", "at": 2})
    later = ben().do({"do": "tick", "topic": "q2", "words": {"money": True}})
    found = merge_curations(agrees, later, "both")
    assert "money" not in {topic.label for topic in found.curation.state.topics.values()}


def test_agreement_is_counted_by_hand():
    found = {row["of"]: row for row in merge_curations(ana(), ben()).agreement.to_dicts()}
    assert found["reference topics"]["value"] == pytest.approx(4 / 5)
    assert found["names"]["value"] == pytest.approx(1 / 2)
    # 12 words of two topics: ana ticks 5, ben 5, three of them (oil, opec, wheat) both
    ticks = np.array([[1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0], [1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0]])
    assert found["words"]["value"] == pytest.approx(tl.stats.krippendorff_alpha(ticks, "nominal"))
    assert found["words"]["n"] == 12
    assert found["documents"]["n"] == 4
    assert found["model topics"]["n"] == 3


def test_without_topics_of_both_alpha_is_undefined_with_a_reason():
    one = curator("R-001", made("r1", "i0001", "energy", ["oil"]))
    two = curator("R-002", made("q1", "i0003", "money", ["bank"]))
    found = merge_curations(one, two)
    rows = {row["of"]: row for row in found.agreement.to_dicts()}
    assert np.isnan(rows["words"]["value"])
    assert rows["words"]["reason"]
    assert rows["reference topics"]["value"] == 0
    with pytest.raises(InputError, match="there is no reference topic"):
        merge_curations(one, two, "both").reference_topics()


def test_the_merged_set_is_one_file_with_the_agreement_in_it(tmp_path):
    corpus = tl.Corpus.from_texts(
        ["oil gas opec", "wheat corn crop", "crude gulf oil", "rain", "bank"], ids=list("abcde")
    )
    found = merge_curations(ana(), ben())
    written = found.write(tmp_path / "themes.json", corpus)
    again = tl.read_reference_topics(tmp_path / "themes.json")
    assert set(again.labels) == set(written.labels) == {"energy", "grain", "money"}
    told = json.loads((tmp_path / "themes.json").read_text("utf-8"))
    assert told["agreement"]["curators"] == ["R-001", "R-002"]
    assert {topic["label"]: topic["likeness"] for topic in told["topics"]}["money"] is None
    assert any(note.startswith("agreement of R-001 and R-002") for note in written.notes)


def test_differences_say_what_each_ticked_alone():
    rows = {row["first"]: row for row in merge_curations(ana(), ben()).differences.to_dicts()}
    assert rows["energy"]["words_both"] == ["oil", "opec"]
    assert rows["energy"]["words_first"] == ["gas"]
    assert rows["energy"]["words_second"] == ["crude"]


def of_another_study():
    """Its items have the same ids, and other words behind them."""
    shown = {"words": ["tax", "vat"], "weights": None, "documents": []}
    return Curation([replace(item, shown=shown) for item in items()], (), "R-002")


@pytest.mark.parametrize(
    ("second", "keep", "message"),
    [
        (lambda: Curation(items()[:2], (), "R-002"), "either", "over different items"),
        (of_another_study, "either", "over different items"),
        (ana, "either", "both logs are of R-001"),
        (ben, "neither", "keep must be one of either, both"),
    ],
)
def test_what_cannot_be_merged_is_refused(second, keep, message):
    with pytest.raises(InputError, match=message):
        merge_curations(ana(), second(), keep)


words = st.lists(st.sampled_from("abcdef"), unique=True, min_size=1).map(tuple)


@given(words, words)
def test_likeness_is_a_share_the_same_from_both_sides_and_1_for_the_same(one, two):
    a, b = CuratedTopic("x", "x", words=one), CuratedTopic("y", "y", words=two)
    assert 0 <= likeness(a, b) == likeness(b, a) <= 1
    assert likeness(a, a) == 1
