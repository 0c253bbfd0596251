import csv
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tealeaves.errors import FormatError, InputError, SpecError
from tealeaves.scores import COLUMNS, Details, Scores, load_scores, score_frame

SPEC = "npmi@10"


def rows_of(model, topics, spec=SPEC, value=None, **more):
    if value is None:
        defined = [score for score in topics if math.isfinite(score)]
        try:
            value = math.fsum(score / len(defined) for score in defined) if defined else math.nan
        except OverflowError:  # the largest number there is, rounded up
            value = max(defined)
    yield {"model": model, "measure": spec, "level": "model", "value": value, "n_terms": 45, **more}
    for topic, score in enumerate(topics):
        reason = "absent word" if math.isnan(score) else ""
        yield {
            "model": model,
            "measure": spec,
            "level": "topic",
            "topic": topic,
            "value": score,
            "reason": reason,
        }


def scored(models, spec=SPEC, **more):
    rows = [row for model, topics in models.items() for row in rows_of(model, topics, spec)]
    return Scores(score_frame(rows), **more)


TWO = scored({"lda": [0.1, math.nan, 0.3], "nmf": [0.4, 0.5, 0.6]})
DETAILS = Details(
    models={"lda": {"n_topics": 3, "topics": [["oil"], ["=1+1"], ["año"]], "notes": [], "size": None}},
    settings={"seed": 1, "ci": 0.95},
    pairs={"lda": {"0": {"words": ["oil", "gas"], "npmi": [[1.0, None], [None, 1.0]]}}},
    similar=[{"model_a": "lda", "topic_a": 0, "model_b": "nmf", "topic_b": 1, "shared": 7, "cosine": 0.9}],
    chance={"lda": {"0": {SPEC: [-0.1, 0.0, 0.1]}}},
    warnings=["the corpus is small"],
)


# --- reading


def test_a_measure_answers_to_any_spelling():
    scores = scored({"lda": [0.1, 0.3]})
    for spelling in ("npmi@10", "npmi", "npmi(oov='undefined')@10", " npmi @ 10"):
        assert scores.value(spelling) == pytest.approx(0.2)
        assert scores.topics(spelling).tolist() == [0.1, 0.3]


def test_an_undefined_topic_is_nan_in_its_place():
    assert np.isnan(TWO.topics(SPEC, model="lda")).tolist() == [False, True, False]


def test_topics_come_in_their_order_and_number_whatever_the_rows_hold():
    rows = list(rows_of("lda", [0.1, 0.2, 0.3]))[::-1]
    scores = Scores(score_frame(rows), Details(models={"lda": {"n_topics": 4}}))
    np.testing.assert_equal(scores.topics(SPEC), [0.1, 0.2, 0.3, math.nan])


def test_of_several_models_one_must_be_named():
    with pytest.raises(InputError, match=r"there are 2 models, so name one with model=: lda, nmf"):
        TWO.value(SPEC)
    assert TWO.value(SPEC, model="nmf") == pytest.approx(0.5)
    with pytest.raises(InputError, match=r"no model 'nfm' here; did you mean 'nmf'"):
        TWO.topics(SPEC, model="nfm")


def test_a_measure_that_was_not_computed_is_refused_with_those_that_were():
    with pytest.raises(InputError, match=r"'npmi@5' was not measured; did you mean 'npmi@10'\?"):
        TWO.value("npmi@5")
    with pytest.raises(SpecError, match="did you mean 'npmi'"):
        TWO.value("nmpi")


def test_a_measure_of_whole_models_has_no_topics():
    scores = Scores(
        score_frame([{"model": "a", "measure": "topic_diversity@10", "level": "model", "value": 0.7}])
    )
    with pytest.raises(InputError, match=r"topic_diversity@10 has no value for single topics"):
        scores.topics("td")


def test_groups_of_documents_are_read_by_name_and_not_mixed_into_the_whole():
    rows = [*rows_of("lda", [0.1]), *rows_of("lda", [0.9], group="wheat")]
    scores = Scores(score_frame(rows))
    assert (scores.value(SPEC), scores.value(SPEC, group="wheat")) == (0.1, 0.9)
    with pytest.raises(InputError, match=r"no group 'corn' here; there are '', 'wheat'"):
        scores.value(SPEC, group="corn")


def test_a_row_with_a_wrong_column_is_refused():
    with pytest.raises(InputError, match="wrong or missing column 'modell'"):
        score_frame([{"modell": "a", "measure": SPEC, "level": "model"}])
    with pytest.raises(InputError, match="wrong or missing column 'level'"):
        score_frame([{"model": "a", "measure": SPEC}])


def test_importing_scores_loads_no_table_library():
    code = "import sys, tealeaves.scores; sys.exit('polars' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- on disk


def same(a, b):
    assert a.frame.equals(b.frame, null_equal=True)
    assert (a.details, a.units, a.draws.keys()) == (b.details, b.units, b.draws.keys())
    for key, draw in a.draws.items():
        np.testing.assert_array_equal(draw, b.draws[key])


FULL = Scores(
    TWO.frame,
    DETAILS,
    {("lda", SPEC): np.array([0.1, math.nan]), ("nmf", SPEC): np.ones(2)},
    {SPEC: "blocks"},
)


def test_what_was_saved_is_loaded(tmp_path):
    FULL.save(tmp_path / "new" / "scores")
    same(load_scores(tmp_path / "new" / "scores"), FULL)


def test_saving_again_replaces_the_scores_and_keeps_other_files(tmp_path):
    FULL.save(tmp_path)
    (tmp_path / "report.html").write_text("mine")
    TWO.save(tmp_path)
    same(load_scores(tmp_path), TWO)
    assert (tmp_path / "report.html").read_text() == "mine"
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".html", ".json", ".npz", ".parquet"]


def test_saving_the_same_again_changes_nothing(tmp_path):
    FULL.save(tmp_path)
    FULL.save(tmp_path)
    same(load_scores(tmp_path), FULL)


@pytest.mark.parametrize("fails_at", [1, 2, 3])
def test_an_interrupted_save_leaves_the_earlier_scores_whole(tmp_path, monkeypatch, fails_at):
    FULL.save(tmp_path)
    before, calls, replace = {p.name for p in tmp_path.iterdir()}, [], Path.replace

    def stop(self, target):
        calls.append(target)
        if len(calls) == fails_at:
            raise OSError("disk full")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(OSError, match="disk full"):
        TWO.save(tmp_path)
    same(load_scores(tmp_path), FULL)
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]
    assert before <= {p.name for p in tmp_path.iterdir()}


def test_a_folder_without_scores_and_a_missing_one_are_told_apart(tmp_path):
    with pytest.raises(FormatError, match=r"holds no scores: there is no scores.json in it"):
        load_scores(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_scores(tmp_path / "nothing")


@pytest.mark.parametrize("suffix", [".parquet", ".npz"])
def test_a_missing_or_changed_file_is_named(tmp_path, suffix):
    FULL.save(tmp_path)
    file = next(tmp_path.glob(f"*{suffix}"))
    whole = file.read_bytes()
    file.write_bytes(whole[:-7])
    with pytest.raises(FormatError, match=rf"{file.name}: has changed since it was written"):
        load_scores(tmp_path)
    file.unlink()
    with pytest.raises(FormatError, match=rf"{file.name}: is missing, but scores.json names it"):
        load_scores(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda head: "{", "cannot be read as scores"),
        (lambda head: "[]", "was not written by tealeaves"),
        (lambda head: '{"kind": "tealeaves scores"}', "cannot be read as scores"),
        (lambda head: json.dumps({**head, "format": 2}), "is of format 2; this tealeaves reads up to 1"),
        (lambda head: json.dumps({**head, "format": "1"}), "cannot be read as scores"),
        (lambda head: json.dumps({**head, "format": 0}), "is of format 0, which there never was"),
        (lambda head: json.dumps({**head, "details": {"models": ["a"]}}), "models of the details is not"),
        (lambda head: json.dumps({**head, "details": {"models": {"a": 3}}}), "has not a dict for 'a'"),
        (lambda head: json.dumps({**head, "details": {"warnings": "a"}}), "warnings of the details is not"),
        (lambda head: json.dumps({**head, "table": "../x.parquet"}), "which is not in this folder"),
        (lambda head: json.dumps({**head, "draws_of": [["a"]]}), "cannot be read as scores"),
        (lambda head: json.dumps({**head, "draws_of": head["draws_of"] * 2}), "cannot be read as scores"),
        (lambda head: json.dumps({**head, "details": 3}), "cannot be read as scores"),
        (lambda head: json.dumps({**head, "table": head["draws"]}), "cannot be read as scores"),
    ],
)
def test_a_torn_or_foreign_head_is_one_error(tmp_path, change, message):
    FULL.save(tmp_path)
    file = tmp_path / "scores.json"
    file.write_text(change(json.loads(file.read_text("utf-8"))))
    with pytest.raises(FormatError, match=message):
        load_scores(tmp_path)


def test_what_a_later_version_adds_to_the_details_is_left_out():
    assert Details.from_dict({**DETAILS.to_dict(), "mood": 1}) == DETAILS


def test_details_survive_json_with_undefined_numbers_as_null():
    given = Details(pairs={"lda": {"0": {"npmi": np.array([[1, math.nan]]), "single": np.array([3])}}})
    assert given.to_dict()["pairs"] == {"lda": {"0": {"npmi": [[1, None]], "single": [3]}}}
    assert Details.from_dict(json.loads(json.dumps(DETAILS.to_dict()))) == DETAILS


# --- for others


def refuse(constant):
    pytest.fail(f"{constant} in JSON")


@given(st.lists(st.floats(), min_size=1, max_size=4))
def test_json_is_strict_and_keeps_every_digit(values):
    found = json.loads(scored({"lda": values}, details=DETAILS).to_json(), parse_constant=refuse)
    back = [row["value"] for row in found["scores"] if row["level"] == "topic"]
    np.testing.assert_equal([math.nan if v is None else float(v) for v in back], values)
    assert found["details"]["warnings"] == ["the corpus is small"]
    assert set(found["scores"][0]) == set(COLUMNS)


def test_csv_keeps_every_digit_and_names_that_begin_like_formulas(tmp_path):
    scored({"=1+1": [0.1 + 0.2, math.nan], '@a,"b"\n': [1e-300, 2.0]}).to_csv(tmp_path / "scores.csv")
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["model"] for row in rows] == ["=1+1"] * 3 + ['@a,"b"\n'] * 3
    assert [row["value"] for row in rows[1:3]] == ["0.30000000000000004", ""]
    assert float(rows[4]["value"]) == 1e-300
    assert rows[2]["reason"] == "absent word"


def test_pandas_has_the_same_numbers():
    pytest.importorskip("pandas")
    frame = TWO.to_pandas()
    assert list(frame.columns) == list(COLUMNS)
    np.testing.assert_equal(frame["value"].to_numpy(), TWO.frame["value"].to_numpy())
    assert frame["topic"].isna().tolist() == [True, False, False, False] * 2
    assert frame["topic"].dropna().tolist() == [0, 1, 2] * 2


def table():
    rows = [
        *rows_of("lda_20", [0.1, 0.2], low=0.1, high=0.2),
        *rows_of("100% nmf", [0.3, 0.5], low=-0.3, high=0.5),
        {"model": "lda_20", "measure": "topic_overlap@10", "level": "model", "value": 0.25},
        {"model": "100% nmf", "measure": "topic_overlap@10", "level": "model", "value": 0.5},
        {
            "model": "lda_20",
            "measure": "sig_vac",
            "level": "model",
            "value": math.nan,
            "reason": "no word weights",
        },
    ]
    return Scores(score_frame(rows), Details(settings={"ci": 0.95}))


def test_markdown_marks_the_best_by_each_measure_s_own_end():
    assert table().to_markdown().splitlines() == [
        r"| model | npmi@10 ↑ | topic\_overlap@10 ↓ | sig\_vac ↑ |",
        "| --- | ---: | ---: | ---: |",
        r"| lda\_20 | 0.150 [0.100, 0.200] | **0.250** | – (a) |",
        "| 100% nmf | **0.400** [-0.300, 0.500] | 0.500 |  |",
        "",
        "↑ higher is better; ↓ lower is better; best in bold; in brackets the 95 percent interval; "
        "(a) no word weights.",
    ]


def test_latex_escapes_names_and_keeps_brackets_and_minus_signs():
    assert table().to_latex().splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\hline",
        r"model & npmi@10 $\uparrow$ & topic\_overlap@10 $\downarrow$ & sig\_vac $\uparrow$ \\",
        r"\hline",
        r"lda\_20 & 0.150 {[}0.100, 0.200{]} & \textbf{0.250} & --$^{a}$ \\",
        r"100\% nmf & \textbf{0.400} {[}$-$0.300, 0.500{]} & 0.500 &  \\",
        r"\hline",
        r"\end{tabular}",
        r"\par{\footnotesize $\uparrow$ higher is better; $\downarrow$ lower is better; best in bold; "
        r"in brackets the 95 percent interval; $^{a}$ no word weights.}",
    ]


def test_no_name_breaks_out_of_a_table():
    nasty = scored({"a|b\n| c": [0.1], r"\input{x} & $^~#": [0.2], "<script>": [0.3]})
    assert r"a\|b \| c" in nasty.to_markdown()
    assert r"\textbackslash{}input\{x\} \& \$\textasciicircum{}\textasciitilde{}\#" in nasty.to_latex()
    assert "<script>" not in nasty._repr_html_()
    assert "&lt;script&gt;" in nasty._repr_html_()


def test_models_that_tie_at_the_top_share_the_mark_unless_all_do():
    assert scored({"a": [0.2], "b": [0.2], "c": [0.1]}).to_markdown().count("**0.200**") == 2
    assert "**" not in scored({"a": [0.2], "b": [0.2]}).to_markdown()


def test_a_model_with_a_score_for_fewer_of_its_topics_is_never_best_and_says_so():
    scores = scored({"a": [0.9, math.nan, math.nan], "b": [0.1, 0.2, 0.3], "c": [0.1, 0.1, 0.1]})
    for shown, best in (
        (scores.to_markdown(), "**0.200**"),
        (scores.to_latex(), r"\textbf{0.200}"),
        (scores._repr_html_(), "<b>0.200</b>"),
    ):
        assert "0.900 over 1 of 3 topics" in shown
        assert best in shown
        assert "a mean over fewer of its topics than another" in shown
    assert "**" not in scored({"a": [0.9, math.nan], "b": [0.1, 0.2]}).to_markdown()
    assert "**" not in scored({"a": [0.9, math.nan], "b": [0.1, 0.2, math.nan]}).to_markdown()
    assert "**0.900** over 1 of 2" in scored({"a": [0.9, math.nan], "b": [0.1, math.nan]}).to_markdown()


def test_the_tables_say_what_their_intervals_are_over():
    rows = [
        *rows_of("a", [0.1, 0.2], low=0.1, high=0.2),
        *(
            {"model": "a", "measure": spec, "level": "model", "value": 0.5, "low": 0.4, "high": 0.6}
            for spec in ("topic_diversity@10", "perplexity")
        ),
    ]
    units = {SPEC: "blocks", "topic_diversity@10": "topics", "perplexity": "blocks"}
    scores = Scores(score_frame(rows), Details(settings={"ci": 0.95}), units=units)
    said = (
        "interval over documents and topics (npmi@10), topics, by jackknife (topic_diversity@10), "
        "documents (perplexity)."
    )
    assert said in scores._repr_html_()
    assert said in scores.to_markdown().replace("\\", "")
    assert said in scores.to_latex().replace("\\_", "_")
    alone = Scores(score_frame(rows_of("a", [0.1, 0.2], low=0.1, high=0.2)), scores.details, units=units)
    assert "interval over documents and topics." in alone.to_markdown()
    alone.units[SPEC] = "topics"
    assert "interval over topics." in alone.to_markdown()


def test_a_group_of_documents_has_its_own_line_and_its_own_best():
    rows = [
        *rows_of("a", [0.1]),
        *rows_of("b", [0.2]),
        *rows_of("a", [0.9], group="x"),
        *rows_of("b", [0.8], group="x"),
    ]
    shown = Scores(score_frame(rows)).to_markdown()
    assert r"| a \[x\] | **0.900** |" in shown
    assert "| b | **0.200** |" in shown


# --- comparing


def compared(scores, **more):
    return scores.compare(SPEC, **more).to_dicts()


def drawn(seed=0, shift=0.0, n=2000):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=n)
    draws = {("a", SPEC): 0.5 + shared, ("b", SPEC): 0.5 + shift + shared + rng.normal(0, 0.01, n)}
    return scored({"a": [0.5], "b": [0.5 + shift]}, draws=draws, units={SPEC: "blocks"})


def test_on_the_same_blocks_the_interval_is_of_the_paired_differences():
    (row,) = compared(drawn(shift=0.02))
    # the draws of each vary by 1, their difference by 0.01: z = 2, p = 0.0455
    assert (row["test"], row["n"]) == ("blocks", None)
    assert row["difference"] == pytest.approx(-0.02)
    assert (row["low"], row["high"]) == pytest.approx((-0.02 - 0.0196, -0.02 + 0.0196), abs=1e-3)
    assert row["p"] == pytest.approx(0.0455, abs=0.01)


@pytest.mark.parametrize("b", [0.5, 0.7])
def test_draws_without_spread_show_nothing(b):
    draws = {("a", SPEC): np.arange(9.0), ("b", SPEC): np.arange(9.0) + (b - 0.5)}
    (row,) = compared(scored({"a": [0.5], "b": [b]}, draws=draws, units={SPEC: "blocks"}))
    assert (row["difference"], row["test"]) == (pytest.approx(0.5 - b), "none")
    assert np.isnan([row["low"], row["high"], row["p"], row["smallest_p"]]).all()
    assert row["reason"] == "the difference is the same in every draw of documents"


def test_p_of_draws_is_never_below_what_so_many_can_give():
    (row,) = compared(drawn(shift=5.0, n=99))
    assert (row["test"], row["p"], row["smallest_p"]) == ("blocks", 0.01, 0.01)


def test_undefined_draws_are_no_test():
    scores = drawn(shift=0.02, n=50)
    scores.draws["a", SPEC][:3] = math.nan
    (row,) = compared(scores)
    assert (row["test"], row["reason"]) == ("none", "3 of 50 draws of documents are undefined")
    assert math.isnan(row["p"])


def test_equal_runs_or_topics_show_nothing():
    (row,) = compared(scored({f"{m}#{i}": [v] for m, v in (("a", 0.1), ("b", 0.2)) for i in (1, 2)}))
    assert (row["test"], row["reason"]) == ("none", "the runs of each have one and the same value")
    (row,) = compared(scored({"a": [0.1] * 4, "b": [0.2] * 4}))
    assert (row["test"], row["reason"]) == ("none", "the topics of each have one and the same value")


@pytest.mark.parametrize("test", [None, "blocks", "topics"])
def test_a_model_with_undefined_topics_is_not_compared(test):
    rng = np.random.default_rng(0)
    draws = {(m, SPEC): rng.normal(v, 0.01, 100) for m, v in (("a", 0.9), ("b", 0.2))}
    models = {"a": [0.9, math.nan, math.nan], "b": [0.1, 0.2, 0.3]}
    (row,) = compared(scored(models, draws=draws, units={SPEC: "blocks"}), test=test)
    assert (row["test"], row["reason"]) == ("none", "2 of 3 topics of a are undefined")
    assert (row["n_topics_a"], row["n_topics_b"]) == (1, 3)
    assert math.isnan(row["p"])
    assert row["difference"] == pytest.approx(0.7)


def test_a_sign_in_a_name_makes_no_runs_of_models():
    (row,) = compared(scored({"C# a": [0.1, 0.2, 0.3], "C# b": [0.4, 0.5, 0.6]}))
    assert (row["model_a"], row["model_b"], row["test"]) == ("C# a", "C# b", "topics")


def test_draws_of_topics_are_not_paired():
    scores = drawn(shift=0.02)
    scores.units[SPEC] = "topics"
    (row,) = compared(scores)
    assert row["test"] == "none"
    assert math.isnan(row["p"])
    assert row["difference"] == pytest.approx(-0.02)


def test_runs_are_compared_as_one_and_the_smallest_p_is_told():
    a = {f"a#{i}": [0.1 * i, 0.2] for i in range(1, 6)}
    b = {f"b#{i}": [5 + 0.1 * i, 0.2] for i in range(1, 6)}
    (row,) = compared(scored(a | b))
    assert (row["model_a"], row["model_b"], row["test"], row["n"]) == ("a", "b", "runs", 10)
    assert row["p"] == row["smallest_p"] == pytest.approx(2 / 252)
    # Welch, by scipy.stats.ttest_ind(..., equal_var=False).confidence_interval()
    from scipy.stats import ttest_ind

    means = [[float(np.mean(topics)) for topics in runs.values()] for runs in (a, b)]
    wanted = ttest_ind(*means, equal_var=False).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((wanted.low, wanted.high))


def test_one_run_is_no_repetition_so_topics_are_permuted():
    (row,) = compared(scored({"a#1": [0.1, 0.2, 0.3], "b": [0.4, 0.5, 0.6]}))
    assert (row["model_a"], row["test"], row["n"]) == ("a#1", "topics", 6)
    assert row["p"] == pytest.approx(2 / 20)
    assert row["difference"] == pytest.approx(-0.3)
    assert row["low"] < -0.3 < row["high"] < 0


def test_the_same_documents_are_compared_by_flips_of_signs():
    rows = [
        {"model": model, "measure": SPEC, "level": "document", "document": f"d{i}", "value": i + shift}
        for model, shift in (("a", 0.0), ("b", 1.0))
        for i in range(8)
    ]
    whole = [{"model": m, "measure": SPEC, "level": "model", "value": v} for m, v in (("a", 3.5), ("b", 4.5))]
    (row,) = compared(Scores(score_frame(rows + whole)))
    assert (row["test"], row["n"], row["difference"]) == ("documents", 8, -1)
    assert row["p"] == row["smallest_p"] == 2 / 256
    whole[1]["value"] = 3.0  # a mean that weighs documents: theirs are no test of it
    (row,) = compared(Scores(score_frame(rows + whole)))
    assert (row["test"], row["difference"]) == ("none", 0.5)
    assert "weighs its parts" in row["reason"]


def over_documents(draws, values, n=40, **more):
    rows = [{"model": m, "measure": SPEC, "level": "model", "value": v, **more} for m, v in values.items()]
    rows += [
        {"model": m, "measure": SPEC, "level": "document", "document": str(d), "value": v}
        for m, v in values.items()
        for d in range(n)
    ]
    draws = {(m, SPEC): np.asarray(draw, float) for m, draw in draws.items()}
    return Scores(score_frame(rows), draws=draws, units={SPEC: "documents"})


def test_on_documents_drawn_again_p_and_interval_are_of_the_same_draws():
    rng = np.random.default_rng(0)
    shared, apart = rng.normal(size=1999), rng.normal(0.03, 0.01, 1999)
    (row,) = compared(over_documents({"a": shared, "b": shared - apart}, {"a": 0.5, "b": 0.47}))
    assert (row["test"], row["n"]) == ("documents", 40)
    assert row["difference"] == pytest.approx(0.03)
    assert (row["low"], row["high"]) == pytest.approx((0.03 - 0.0196, 0.03 + 0.0196), abs=2e-3)
    below = int((apart <= 0).sum())
    assert row["p"] == pytest.approx(2 * (1 + below) / 2000)
    (turned,) = compared(over_documents({"b": shared - apart, "a": shared}, {"b": 0.47, "a": 0.5}))
    assert (turned["difference"], turned["p"]) == (-row["difference"], row["p"])
    assert (turned["low"], turned["high"]) == pytest.approx((-row["high"], -row["low"]))


def test_few_documents_show_no_more_than_as_many_signs_could():
    draws = {"a": np.ones(1999), "b": np.zeros(1999)}
    (row,) = compared(over_documents(draws, {"a": 1.0, "b": 0.0}, n=4))
    assert row["p"] == row["smallest_p"] == 2 / 2**4
    (row,) = compared(over_documents(draws, {"a": 1.0, "b": 0.0}))
    assert row["p"] == row["smallest_p"] == 2 / 2000


def test_two_equal_models_do_not_differ():
    draw = np.linspace(0, 1, 99)
    (row,) = compared(over_documents({"a": draw, "b": draw}, {"a": 0.5, "b": 0.5}))
    assert (row["difference"], row["low"], row["high"], row["p"]) == (0, 0, 0, 1)


def test_documents_of_two_corpora_are_not_paired():
    scores = over_documents({"a": np.ones(99), "b": np.zeros(99)}, {"a": 1.0, "b": 0.0})
    frame = scores.frame.with_columns(signature="npmi|corpus:" + polars.col("model"))
    (row,) = compared(Scores(frame, draws=scores.draws, units=scores.units))
    assert (row["test"], row["reason"]) == ("none", "they are scored on other documents")


def test_draws_in_which_no_term_was_drawn_are_left_out_unless_they_are_most():
    draw = np.where(np.arange(99) < 9, math.nan, 1.0)
    (row,) = compared(over_documents({"a": draw, "b": np.zeros(99)}, {"a": 1.0, "b": 0.0}))
    assert row["p"] == pytest.approx(2 / 91)
    draw[:60] = math.nan
    (row,) = compared(over_documents({"a": draw, "b": np.zeros(99)}, {"a": 1.0, "b": 0.0}))
    assert row["reason"] == "60 of 99 draws of documents are undefined"


def test_topics_are_no_test_of_a_score_that_is_no_mean_over_topics():
    rows = [*rows_of("a", [0.1, 0.2], value=0.19), *rows_of("b", [0.3, 0.5], value=0.4)]
    (row,) = compared(Scores(score_frame(rows)), test="topics")
    assert row["test"] == "none"
    assert "weighs its parts" in row["reason"]


def test_holm_is_over_all_pairs_of_the_table():
    rows = compared(scored({"a": [0.1, 0.2, 0.3], "b": [0.4, 0.5, 0.6], "c": [0.1, 0.2, 0.4]}))
    assert [(row["model_a"], row["model_b"]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [row["p"] for row in rows] == pytest.approx([0.1, 1.0, 0.2], abs=0.2)
    assert rows[0]["p_holm"] == pytest.approx(3 * rows[0]["p"])


def test_a_test_can_be_asked_for():
    runs = {f"{m}#{i}": [i + k, i] for i in range(3) for m, k in (("a", 0), ("b", 1))}
    assert compared(scored(runs))[0]["test"] == "runs"
    assert compared(scored(runs), test="topics")[0]["n"] == 12
    assert compared(scored(runs), test="blocks")[0]["test"] == "none"
    with pytest.raises(InputError, match="test must be one of runs, blocks, documents, topics; got 'rnus'"):
        compared(scored(runs), test="rnus")


def test_infinite_and_undefined_scores_have_no_p():
    for topics in ([-math.inf, 0.1], [math.nan, math.nan]):
        (row,) = compared(
            Scores(score_frame([*rows_of("a", topics, value=topics[0]), *rows_of("b", [0.1, 0.2])]))
        )
        assert row["test"] == "none"
        assert math.isnan(row["p"])


def test_one_model_has_nothing_to_be_compared_with():
    with pytest.raises(InputError, match=r"needs at least two models; there is lda"):
        scored({"lda#1": [0.1], "lda#2": [0.2]}).compare(SPEC)


def test_the_same_seed_compares_the_same():
    rng = np.random.default_rng(0)
    scores = scored(
        {"a": rng.normal(size=30), "b": rng.normal(size=30)}, details=Details(settings={"seed": 5})
    )
    assert scores.compare(SPEC).equals(scores.compare(SPEC))


def test_a_comparison_is_a_polars_table():
    assert isinstance(TWO.compare(SPEC), polars.DataFrame)
