"""The other replications, the list of them and the summary: what is printed, what stands in, what is kept."""

import json
from itertools import pairwise

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.cli import run
from tealeaves.errors import FormatError, InputError
from tealeaves.experiments import replications
from tealeaves.experiments.replications import (
    REPLICATIONS,
    STATUSES,
    Entry,
    Line,
    Replication,
    coverage,
    local,
    matching,
    people,
    planted_sizes,
    replicate,
    summary,
    temporal,
    two_topics,
)

# --- what is printed and comes out


@pytest.mark.slow
def test_every_number_of_the_examples_worked_by_hand_comes_out(data):
    found = replicate("two_topics", data)
    assert len(found.lines) > 60
    assert [line.what for line in found.lines if not line.agrees] == []
    assert "4 never meet" in found.says[0]


def test_the_perplexities_of_ten_words_are_the_article_s():
    found = two_topics.ten_words()
    for name, (likelihood, perplexity) in two_topics.PERPLEXITIES.items():
        assert found[name] == pytest.approx(likelihood, abs=5.1e-4)
        assert np.exp(-found[name] / 10) == pytest.approx(perplexity, abs=5.1e-4)


def test_the_smoothness_of_all_printed_words_is_the_printed_one():
    corpus = tl.Corpus.from_tokens([words.split() for words in temporal.WORDS.values()])
    lines = [line for line in temporal.printed_rows(corpus) if line.what.endswith("TTS")]
    assert len(lines) == 8
    assert all(line.agrees for line in lines)


@pytest.mark.parametrize("key", ["news", "bio"])
def test_agreement_on_the_released_labels_is_within_the_print_s_last_digits(data, key):
    lines = matching.agreement(data / "coverage" / f"{key}_pairs.jsonl", key, key)
    assert len(lines) == 4
    assert all(0 <= line.found - line.printed < 0.0014 or line.agrees for line in lines)


def test_agreement_on_kinds_of_topics_is_the_printed_one(data):
    assert [line.agrees for line in matching.semantic(data)] == [True, True]


def test_published_scores_go_with_people_as_the_released_files_say(data):
    topics = people.hoyle(data)
    text = tl.Corpus.from_tokens([topics[0]["words"]])
    lines, rows = people.of_hoyle(topics, text, 10, None)
    assert [line.what for line in lines if not line.agrees] == []
    assert all(row["topics"] <= 150 for row in rows)


# --- what stands in for people and corpora


@pytest.fixture(scope="module")
def in_runs():
    return local.planted(True)


def test_planted_topics_stand_in_runs_and_no_document_changes_its_words(in_runs):
    corpus, topics = in_runs
    plain, others = local.planted(False)
    assert corpus.n_tokens == plain.n_tokens
    for d in range(0, len(plain), 50):
        assert sorted(corpus.document(d)) == sorted(plain.document(d))
    same = [np.mean(z[1:] == z[:-1]) for z in (topics, others)]
    assert same[0] > same[1] + 0.2


def test_the_truth_tells_all_of_itself_and_random_topics_nothing(in_runs):
    corpus, topics = in_runs
    weights = np.full((10, len(corpus.vocabulary)), 1e-12)
    np.add.at(weights, (topics, corpus.tokens), 1.0)
    good = tl.TopicModel(corpus.vocabulary, weights, alpha=[0.2] * 10, normalized=False)
    bad = tl.TopicModel(corpus.vocabulary, np.roll(weights, 7, axis=1), alpha=[0.2] * 10, normalized=False)
    assert local.told(good, corpus, topics) > 0.7
    assert local.told(bad, corpus, topics) < local.told(good, corpus, topics) - 0.2


def test_simulated_raters_agree_with_true_topics_more_than_with_random_ones():
    corpus, truth = tl.synthetic.lda(k=6, documents=300, length=60, vocabulary=200, seed=2)
    known = local.associations(corpus)
    drawn = np.random.default_rng(0).dirichlet(np.ones(200), 6)
    random = tl.TopicModel(truth.vocabulary, drawn, alpha=[0.1] * 6)
    good, bad = (local.rated(model, corpus, known) for model in (truth, random))
    assert good > bad + 0.1
    assert good > 0.6


def test_associations_are_npmi_of_documents():
    corpus = tl.Corpus.from_tokens([["a", "b"], ["a", "b"], ["a"], ["c"]])
    found = local.associations(corpus)
    a, b, c = (found["index"][word] for word in "abc")
    wanted = np.log(0.5 / (0.75 * 0.5)) / -np.log(0.5)
    assert found["npmi"][a, b] == pytest.approx(wanted)
    assert found["npmi"][a, c] == -1


def test_documents_of_biology_are_of_its_reference_topics(data):
    corpus, reference = coverage.biology(data, 20, length=30)
    assert len(reference) == 112
    assert len(corpus) > 200
    assert max(reference.sizes) > 10 * np.median(reference.sizes)
    own = {word for words in reference.top_words(20) for word in words}
    share = np.mean([corpus.vocabulary[w] in own for w in corpus.tokens])
    assert 0.4 < share < 0.75  # half of the words are of other topics, a sixth of the rest of noise


def test_reference_topics_in_both_runs_are_counted_over_the_smaller_run():
    matched = [np.array([True, True, False]), np.array([True, False, True])]
    assert coverage.refset(matched, [4, 2]) == 0.5
    assert np.isnan(coverage.refset(matched[:1], [4]))


@pytest.mark.slow
def test_small_planted_topics_are_missed_by_small_models_and_stability_parts_ways():
    corpus, reference = planted_sizes.planted()
    models = {
        f"NMF-{k}": [tl.fit("nmf", corpus, k=k, seed=s, iterations=30) for s in (0, 1)] for k in (5, 80)
    }
    found = coverage.measured(models, reference, corpus, coherence={})
    small, large = found.quarters
    assert small["AuCDC Q1"] < 0.3 < small["AuCDC Q4"] - 0.1
    assert large["AuCDC Q1"] > small["AuCDC Q1"] + 0.2
    assert found.sets[0]["AuCDC"] < found.sets[1]["AuCDC"]
    assert found.sets[0]["InstanceStabil"] > found.sets[1]["InstanceStabil"] - 0.02
    assert '"threshold": 0.5' in json.dumps(coverage.curves_chart(found.curves).to_dict())


def test_topics_shown_to_a_matcher_of_lists_are_lists():
    reference = tl.ReferenceTopics([f"w{i:02}" for i in range(30)], np.arange(30)[None] + 1.0)
    (words,) = coverage.as_lists(reference).top_words(30)
    assert len(words) == 15
    assert "w29" in words


@pytest.mark.slow
def test_tables_over_time_show_what_they_are_printed_for(data):
    found = replicate("temporal", data, seeds=1)
    (rows,) = found.tables.values()
    cells = {(row["corpus"], row["model"], row["topics are"]): row for row in rows}
    for corpus in ("NeurIPS", "UN"):
        was, shuffled, repeated = (
            cells[corpus, "D-LDA, 10 topics", kind] for kind in ("original", "shuffled", "repeated")
        )
        assert [was[c] for c in ("TC", "TD", "TQ")] == [shuffled[c] for c in ("TC", "TD", "TQ")]
        assert shuffled["TTQ"] < 0.25 * was["TTQ"]
        assert repeated["TQ"] == 0 < 0.5 * was["TTQ"] < repeated["TTQ"]
    intruded = [line.found for line in found.lines if "intruded" in line.what]
    assert len(intruded) == 6
    assert max(intruded) < -0.6


# --- the list, the files, the summary


def test_each_replication_has_a_file_a_status_and_a_default():
    from importlib import import_module

    for name, entry in REPLICATIONS.items():
        module = import_module(f"tealeaves.experiments.replications.{name}")
        assert set(module.SEEDS) == {False, True}
        assert entry.status in STATUSES
        assert entry.status != "in kind" or entry.why


def test_the_command_lists_what_there_is(capsys):
    assert run(["replicate", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == list(REPLICATIONS)
    assert run(["replicate"]) == 0
    assert "two_topics" in capsys.readouterr().out


def test_what_was_saved_is_read_again_as_it_was(tmp_path):
    chart = coverage.curves_chart([{"model": "a-1", "threshold": 0.0, "coverage": 0.5}])
    made = Replication(
        "x",
        (Line("a", 3, float("nan"), 1, "why"),),
        {"T": [{"K": 5}]},
        ("Said.",),
        {"C": chart},
        {"starts": 2},
    )
    made.save(tmp_path)
    assert (tmp_path / "x-1.svg").read_text("utf-8").startswith("<svg")
    again = Replication.load(tmp_path / "x.json")
    assert again.to_markdown("there/") == made.to_markdown("there/")
    assert "![C](there/x-1.svg)" in again.to_markdown("there/")
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(FormatError, match="is no saved replication"):
        Replication.load(tmp_path / "x.json")


@pytest.fixture
def two(monkeypatch):
    """Two replications: one that works and counts how often, one whose data are missing."""
    entries = {name: Entry("A paper", f"Table of {name}", "exact", "") for name in ("works", "fails")}
    done = []

    def fake(name, data, **options):
        done.append(name)
        if name == "fails":
            raise InputError(f"{data}: no such data")
        return Replication(name, (Line("a", 3, 3.0),))

    for module in (replications, summary):
        monkeypatch.setattr(module, "REPLICATIONS", entries)
    monkeypatch.setattr(summary, "replicate", fake)
    return done


def test_the_summary_keeps_results_and_says_what_could_not_be_run(two, tmp_path):
    path, failed = summary.replicate_all(tmp_path, tmp_path / "out")
    assert list(failed) == ["fails"]
    page = path.read_text("utf-8")
    assert "| [works](#works) | A paper | Table of works | exact | 1 of 1 |" in page
    assert "not run: the folder of the data: no such data" in page
    assert str(tmp_path) not in page
    assert "## Not possible" in page
    assert "never released" in page
    summary.replicate_all(tmp_path, tmp_path / "out")
    assert two == ["works", "fails", "fails"]  # what is there is kept
    summary.replicate_all(tmp_path, tmp_path / "out", again=True)
    assert two[3:] == ["works", "fails"]


def test_what_people_said_of_pairs_is_exact_and_classifiers_are_a_table_of_their_own(data):
    found = replicate("matching", data)
    assert REPLICATIONS["matching"].status == "exact"
    assert not any("F1 of the" in line.what for line in found.lines)
    people = {line.what: line for line in found.lines if "F1 of people" in line.what}
    assert all(line.agrees for line in people.values())
    assert len(people) == 2
    assert REPLICATIONS["matching_classifiers"].status == "in kind"


def test_all_ends_with_1_and_a_line_for_each_where_something_failed(two, tmp_path, capsys):
    arguments = ["replicate", "all", "--data", str(tmp_path / "none"), "--out", str(tmp_path / "out")]
    assert run(arguments) == 1
    err = capsys.readouterr().err
    assert f"Failed: fails: {tmp_path / 'none'}: no such data" in err
    assert "written to" in err


def test_the_size_of_a_corpus_is_that_of_its_vocabulary():
    """Tokens of words that were cut are -1: they are no tokens, nor are documents of them alone."""
    corpus = tl.Corpus(("a", "b"), np.array([0, -1, 1, -1, -1], np.int32), np.array([0, 3, 5]))
    assert [line.found for line in local.statistics(corpus)] == [1, 2, 2]


def test_a_measure_that_goes_against_the_article_is_said_to():
    rows = [
        {"corpus": "Newsgroups", "quality": float(q), **dict.fromkeys(local.MEASURES, float(q)), "SwitchP": x}
        for q, x in ((1, 0.1), (2, 0.3), (3, 0.2), (4, 0.5))
    ]
    r2 = {("Newsgroups", name): {"r2": 0.5} for name in local.MEASURES}
    said = " ".join(local._says(r2, rows))
    assert "contradicts the article's main finding" in said
    assert "no refutation" in said
    same_way = [row | {"SwitchP": -row["quality"]} for row in rows]
    assert "contradicts" not in " ".join(local._says(r2, same_way))


def test_all_need_a_folder_to_be_kept_in(capsys, tmp_path):
    assert run(["replicate", "all", "--data", str(tmp_path)]) == 2
    assert "--out DIR" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["two_topics", "temporal", "local", "matching", "matching_classifiers", "coverage", "people"]
)
def test_missing_data_are_named(tmp_path, name):
    with pytest.raises(InputError, match=r"was expected there; say where the data are with --data"):
        replicate(name, tmp_path)


def test_a_table_of_any_width_is_markdown():
    text = Replication(
        "x", tables={"T": [{"a": 1.0, "b": float("nan")}, {"a": None, "b": "c"}]}
    ).to_markdown()
    widths = {line.count("|") for line in text.splitlines() if line.startswith("|")}
    assert widths == {3}
    assert "| – | c |" in text
    assert all(a != b for a, b in pairwise(text.splitlines()))
