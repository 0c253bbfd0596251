"""Tables of experiments: letters, who is best, what stands where; and figures."""

import numpy as np
import polars as pl
import pytest

from tealeaves.errors import InputError
from tealeaves.experiments.differences import told_apart
from tealeaves.experiments.experiment import COLUMNS, Experiment
from tealeaves.experiments.figures import curves, heat_map, write_figures
from tealeaves.experiments.tables import table

FIVE = [0.0, 0.01, 0.02, 0.03, 0.04]


def row(family="lda", k=10, seed=0, value=0.5, measure="npmi@10", corpus="news", **more):
    absent = {"low": np.nan, "high": np.nan, "group": "", "reason": "", "signature": measure}
    known = {
        "family": family,
        "k": k,
        "seed": seed,
        "value": value,
        "measure": measure,
        "corpus": corpus,
        "preprocessing": "",
        "options": "",
        "level": "model",
    }
    return dict.fromkeys(COLUMNS) | absent | known | more


def frame(rows):
    kinds = {name: getattr(pl, kind) for name, kind in COLUMNS.items()}
    return pl.DataFrame({name: [one[name] for one in rows] for name in COLUMNS}, schema=kinds)


def made(values, **more):
    """A frame from {family: [value of each seed]}."""
    return [row(f, seed=seed, value=v, **more) for f, of in values.items() for seed, v in enumerate(of)]


# --- letters


def test_models_that_differ_beyond_chance_have_other_letters():
    told = told_apart({"a": [v + 1 for v in FIVE], "b": [v + 0.99 for v in FIVE], "c": FIVE})
    assert told.letters == {"a": "a", "b": "a", "c": "b"}
    assert told.alike("a", "b")
    assert not told.alike("a", "c")


def test_too_few_runs_give_no_letters_and_say_why():
    told = told_apart({name: [v + i for v in FIVE] for i, name in enumerate("abcde")})
    assert not told.letters
    assert "5 runs are too few to tell 5 models apart" in told.note
    assert "0.0079, and there are 10 pairs" in told.note
    assert "One run" in told_apart({"a": [1.0], "b": [2.0]}).note


def test_ten_runs_tell_ten_models_apart():
    rng = np.random.default_rng(0)
    told = told_apart({i: (10 * i + rng.normal(size=10)).tolist() for i in range(10)})
    assert len(set(told.letters.values())) == 10


def test_runs_with_one_score_are_tested_and_single_runs_are_not():
    told = told_apart({"best": [0.99] * 5, "b": FIVE, "nmf": [0.5]})
    assert told.letters == {"best": "a", "b": "b"}
    assert told.note == "A model with one run is not tested."


def test_a_name_keeps_its_letters_and_the_level_of_intervals_is_said():
    rows = [
        row(family=f, seed=s, value=v + (f == "LDA, Long"))
        for f in ("LDA, Long", "x")
        for s, v in enumerate(FIVE)
    ]
    frame = pl.DataFrame([one | {"corpus": "Reuters-21578"} for one in rows], infer_schema_length=None)
    nine, none = table(frame, level=0.9), table(frame, level=None)
    assert nine.legend()[0].startswith("Corpus Reuters-21578")
    assert "the 90% t interval" in " ".join(nine.legend())
    assert "interval" not in " ".join(none.legend())
    wide = table(frame, level=0.99)
    for place, entry in nine.entries.items():
        assert wide.entries[place].high > entry.high
        assert np.isnan(none.entries[place].low)


# --- tables


def test_the_best_is_bold_what_is_near_is_marked_and_letters_stand_by():
    shown = table(frame(made({"a": [v + 1 for v in FIVE], "b": [v + 0.99 for v in FIVE], "c": FIVE})))
    lines = shown.to_markdown().splitlines()
    assert lines[0] == "| family | npmi@10 ↑ |"
    assert lines[2] == "| a | **1.020**<sup>a</sup> [1.000, 1.040] |"
    assert lines[3] == "| b | ≈1.010<sup>a</sup> [0.990, 1.030] |"
    assert lines[4] == "| c | 0.020<sup>b</sup> [3.7e-04, 0.040] |"
    assert "Means over 5 runs" in lines[-1]
    assert "Corpus news, k 10." in lines[-1]


def test_the_interval_is_that_of_student_over_the_runs():
    from scipy.stats import t

    values = [0.1, 0.4, 0.3]
    entry = next(iter(table(frame(made({"a": values}))).entries.values()))
    low, high = t.interval(0.95, 2, np.mean(values), np.std(values, ddof=1) / 3**0.5)
    assert (entry.low, entry.high) == (pytest.approx(low), pytest.approx(high))
    one = next(iter(table(frame([row(low=0.1, high=0.9)])).entries.values()))
    assert (one.low, one.high) == (0.1, 0.9)


def test_of_a_measure_whose_low_end_is_best_the_lowest_is_bold():
    shown = table(frame(made({"a": [900.0], "b": [800.0]}, measure="perplexity"))).to_markdown()
    assert "| b | **800.000** |" in shown
    assert "perplexity ↓" in shown


def test_each_corpus_and_preprocessing_has_its_own_best():
    rows = made({"a": [0.1], "b": [0.2]}) + made({"a": [0.9], "b": [0.8]}, corpus="law")
    shown = table(frame(rows))
    best = {key[0]: entry.best for key, entry in shown.entries.items()}
    assert shown.row_names == ("corpus", "family")
    assert best == {("news", "a"): False, ("news", "b"): True, ("law", "a"): True, ("law", "b"): False}
    assert "Best of its corpus in bold" in shown.to_markdown()


def test_a_model_with_an_undefined_run_is_never_best_and_says_so():
    rows = made({"a": [0.9, np.nan], "b": [0.2, 0.3], "c": [0.1, 0.1]})
    rows[1]["reason"] = "absent word"
    shown = table(frame(rows)).to_markdown()
    assert "| a | 0.900 (1 of 2 runs) |" in shown
    assert "**0.250**" in shown


def test_a_failure_is_a_dash_and_the_table_says_why_in_every_format():
    rows = [*made({"a": [0.1]}), row("b", value=np.nan, reason="not fitted: 5% | <less> & more")]
    shown = table(frame(rows))
    assert "| b | – (1) |" in shown.to_markdown()
    assert r"(1) not fitted: 5% \| \<less\> & more." in shown.to_markdown()
    assert r"b & -- (1) \\" in shown.to_latex()
    assert r"5\% \textbar{} \textless{}less\textgreater{} \& more" in shown.to_latex()
    assert "<td>– (1)</td>" in shown.to_html()
    assert "&lt;less&gt; &amp; more" in shown.to_html()


def test_rows_and_columns_are_any_part_and_what_varies_besides_is_a_row():
    rows = [row(f, k, measure=m) for f in ("a", "b") for k in (10, 5, 20) for m in ("npmi@10", "umass@10")]
    shown = table(frame(rows), measures=["npmi@10"], rows=["family"], columns=["k"])
    assert shown.columns == [("5",), ("10",), ("20",)]
    assert shown.rows == [("a",), ("b",)]
    both = table(frame(rows), columns=["k"])
    assert both.row_names == ("family", "measure")
    two = table(frame(rows), columns=["measure", "k"], where={"family": "b"})
    assert two.columns[0] == ("npmi@10", "5")
    assert two.rows == [("b",)]


def test_measures_are_named_by_any_spelling_and_stand_in_the_order_asked_for():
    rows = [row(measure=m) for m in ("npmi@10", "topic_diversity@10")]
    assert table(frame(rows), measures=["td@10", "npmi"]).columns == [("topic_diversity@10",), ("npmi@10",)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rows": ["famly"]}, "no part of a table 'famly'; did you mean 'family'"),
        ({"columns": ["seed"]}, "no part of a table 'seed'"),
        ({"where": {"k": "11"}}, "no k '11'; there are '10'|did you mean '10'"),
        ({"measures": ["umass@10"]}, "no measure that was scored: 'umass@10'"),
        ({"measures": ["nmpi"]}, "npmi"),
        ({"rows": ["k"], "columns": ["k"]}, "k can stand in rows or in columns"),
    ],
)
def test_what_a_table_cannot_show_is_said(options, said):
    with pytest.raises(InputError, match=said):
        table(frame([row()]), **options)


def test_groups_of_documents_are_shown_when_asked_for():
    rows = [row(group=group, value=i / 10) for i, group in enumerate(("", "sports", "law"))]
    assert len(table(frame(rows)).entries) == 1
    assert table(frame(rows), rows=["group"]).rows == [("",), ("sports",), ("law",)]


def test_infinite_scores_are_shown_and_never_tested():
    shown = table(frame(made({"a": [np.inf, 1.0], "b": [0.2, 0.3]}, measure="perplexity"))).to_markdown()
    assert "| a | ∞ |" in shown
    assert "<sup>" not in shown


# --- figures


def test_figures_show_every_seed_and_the_mean_of_every_model(tmp_path):
    rows = [row(f, k, seed, value=k / 100 + seed) for f in ("a", "b") for k in (5, 10) for seed in (0, 1)]
    found = Experiment(tmp_path, frame(rows))
    written = write_figures(found, ("svg",))
    assert [path.name for path in written] == ["news-over-k.svg", "npmi-10-map.svg"]
    assert all(path.read_text().startswith("<svg") for path in written)
    assert len(curves(found.frame).to_dict()["datasets"]["npmi@10, runs"]) == 8
    cells = heat_map(found.frame, "npmi@10").to_dict()["datasets"]["news"]
    assert {(cell["model"], cell["k"]): cell["value"] for cell in cells} == {
        (f, k): pytest.approx(k / 100 + 0.5) for f in ("a", "b") for k in (5, 10)
    }


def test_a_figure_of_nothing_or_of_no_format_is_said(tmp_path):
    nothing = frame([row(value=np.nan)])
    with pytest.raises(InputError, match="no model has a value"):
        heat_map(nothing, "npmi@10")
    assert write_figures(Experiment(tmp_path, nothing)) == []
    with pytest.raises(InputError, match="svg, png, pdf; got 'jpeg'"):
        write_figures(Experiment(tmp_path, nothing), ("jpeg",))
