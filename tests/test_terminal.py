import io
import re
import sys
import time

import pytest
from rich.console import Console

from tealeaves._watch import tell
from tealeaves.scores import Details, Scores, score_frame
from tealeaves.terminal import Pace, progress, scores_table, worst_topics

NAN = float("nan")


def shown(renderable, width=200):
    file = io.StringIO()
    Console(file=file, width=width).print(renderable)
    return file.getvalue()


def line_of(text, start):
    return next(line for line in text.splitlines() if line.strip().startswith(start))


def scores(values, **details):
    """Scores of whole models from {(model, spec): (value, low, high) or a reason}."""
    rows = []
    for (model, spec), cell in values.items():
        row = {"model": model, "measure": spec, "level": "model"}
        rows.append(
            row
            | (
                {"reason": cell}
                if isinstance(cell, str)
                else dict(zip(("value", "low", "high"), cell, strict=False))
            )
        )
    return Scores(score_frame(rows), Details(**details))


def test_the_best_model_is_named_so_in_a_word_at_either_end():
    text = shown(
        scores_table(
            scores(
                {
                    ("lda", "npmi@10"): (0.2,),
                    ("nmf", "npmi@10"): (0.1,),
                    ("lda", "topic_overlap@10"): (0.2,),
                    ("nmf", "topic_overlap@10"): (0.1,),
                }
            )
        )
    )
    assert line_of(text, "npmi@10").split() == ["npmi@10", "↑", "0.200", "best", "0.100"]
    assert line_of(text, "topic_overlap@10").split() == ["topic_overlap@10", "↓", "0.200", "0.100", "best"]
    assert "↑ higher is better; ↓ lower is better" in text


def test_one_model_is_not_best_and_equal_models_are_not_either():
    assert "best" not in shown(scores_table(scores({("a", "npmi@10"): (0.2,)}))).replace("better", "")
    assert " best" not in shown(scores_table(scores({("a", "npmi@10"): (0.2,), ("b", "npmi@10"): (0.2,)})))


def test_an_interval_stands_beside_its_value_and_the_legend_says_what_it_is():
    text = shown(scores_table(scores({("a", "npmi@10"): (0.2, 0.15, 0.25)}, settings={"ci": 0.95})))
    assert text.split()[5:8] == ["0.200", "[0.150,", "0.250]"]
    assert "[low, high]: 95% interval" in text


def test_the_legend_says_what_an_interval_is_over():
    given = scores({("a", "topic_diversity@10"): (0.2, 0.15, 0.25)}, settings={"ci": 0.95})
    given.units["topic_diversity@10"] = "topics"
    assert "[low, high]: 95% interval over topics, by jackknife" in shown(scores_table(given))


def test_undefined_is_a_dash_whose_reason_stands_below():
    text = shown(scores_table(scores({("a", "npmi@10"): "absent word: hughes", ("b", "npmi@10"): (0.1,)})))
    assert line_of(text, "npmi@10").split()[2:] == ["—", "(a)", "0.100"]
    assert "— (a) absent word: hughes" in text
    assert "nan" not in text


@pytest.mark.parametrize("models", [1, 2, 9])
def test_no_number_is_cut_off_in_80_columns(models):
    specs = ("npmi@10", "c_v@10", "umass@10", "topic_diversity@10", "tq@10")
    values = {(f"model-{m}", s): (0.123 + m, 0.1, 0.2) for m in range(models) for s in specs}
    text = shown(scores_table(scores(values)), width=80)
    assert all(text.count(f"{0.123 + m:.3f}") == len(specs) for m in range(models))
    assert max(map(len, text.splitlines())) <= 80


def test_a_model_name_that_looks_like_markup_is_shown_as_it_is():
    assert "[red]x[/red]" in shown(scores_table(scores({("[red]x[/red]", "npmi@10"): (0.2,)})))


def test_a_mean_over_some_of_the_topics_says_over_how_many():
    rows = [{"model": "a", "measure": "npmi@10", "level": "model", "value": 0.2}]
    rows += [
        {"model": "a", "measure": "npmi@10", "level": "topic", "topic": k, "value": v}
        for k, v in enumerate([0.2, NAN])
    ]
    assert "over 1 of 2 topics" in shown(scores_table(Scores(score_frame(rows))))
    other = [{**row, "model": "b", "value": 0.1, "reason": ""} for row in rows]
    assert " best" not in shown(scores_table(Scores(score_frame([*rows, *other]))))
    rows[2]["value"] = 0.2
    assert "over" not in shown(scores_table(Scores(score_frame(rows))))


def test_a_measure_without_any_value_is_a_line_with_its_reason_and_no_column():
    values = {(m, "sig_uni"): f"model {m!r} is lists of words" for m in "abcdefgh"}
    text = shown(scores_table(scores(values | {(m, "npmi@10"): (0.1,) for m in "abcdefgh"})))
    assert text.count("sig_uni") == 1
    assert "— sig_uni: model 'a' is lists of words" in text


def test_the_worst_topics_come_with_their_words_and_why():
    words = [["oil", "gas", "energy"], ["dutch", "guilders", "hughes"], ["tax", "law", "court"]]
    rows = [
        {"model": "lda", "measure": "npmi@3", "level": "topic", "topic": k, "value": v, "reason": r}
        for k, (v, r) in enumerate([(0.4, ""), (-0.3, ""), (NAN, "absent word")])
    ]
    rows.append({"model": "lda", "measure": "npmi@3", "level": "model", "value": 0.05})
    models = {
        "lda": {"n_topics": 3, "topics": words, "notes": [], "source": "", "weights": None, "size": None}
    }
    npmi = [[1.0, 0.1, -1.0], [0.1, 1.0, -1.0], [-1.0, -1.0, 1.0]]
    pairs = {"lda": {"1": {"words": words[1], "npmi": npmi, "joint": [[3, 1, 0]] * 3, "single": [3, 3, 3]}}}
    unknown = {"lda": {"2": {"absent": ["court"], "coverage": 2 / 3, "hints": {}}}}
    text = shown(
        worst_topics(Scores(score_frame(rows), Details(models=models, pairs=pairs, unknown=unknown)))
    )
    first, second = (line_of(text, f"topic {k}") for k in (1, 2))
    assert text.index(first) < text.index(second)
    assert first.strip().split(", ")[1:] == ["NPMI -0.300", "drop: dutch guilders hughes"]
    assert "two of their" in text or "2 of their" in text
    assert "NPMI —" in second
    assert "court is in no document of the reference" in text
    assert "energy" not in text, "a topic to keep is none of the worst"


def test_progress_shows_nothing_where_nobody_watches(capsys):
    with progress("Counting") as advance:
        advance("counting", 1, 2)
        advance("intervals", 0, 0)
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_on_a_terminal_is_drawn_on_stderr_only(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress("Counting") as advance:
        advance("intervals of [1]", 1, 2)
    assert "Intervals of [1]" in sys.stderr.getvalue()
    assert capsys.readouterr().out == ""


def test_what_work_tells_through_other_functions_is_shown_with_the_time_left(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("tealeaves.terminal.LOOK_EVERY", 0.01)
    with progress("Reading"):
        for done in range(4):
            tell(done, 4)
            time.sleep(0.3)
    assert "75%" in sys.stderr.getvalue()
    assert re.search(r"about \d s left", sys.stderr.getvalue())


def test_a_step_of_which_the_whole_is_not_known_shows_what_is_told_since(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("tealeaves.terminal.LOOK_EVERY", 0.01)
    with progress("Reading") as advance:
        advance("fitting", 1, 100)
        tell(2, 3)  # of a part of that step: the step's own share stays
        time.sleep(0.3)
        advance("reading news (2 of 2)", 0, 0)
        time.sleep(0.3)
        assert "67%" not in sys.stderr.getvalue()
        tell(1, 2)
        time.sleep(0.3)
    assert re.search(r"Reading news \(2 of 2\).* 50%", sys.stderr.getvalue())


def test_a_bar_inside_another_is_the_other(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress("Degrading") as outer, progress("Reading") as inner:
        assert inner is outer


def test_the_time_left_goes_by_the_pace_of_the_step_alone_and_is_counted_down():
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.note("fitting", 50, 100)  # what an earlier run had made took no time of this one
    assert pace.left() == ""
    now[0] = 10
    pace.note("fitting", 60, 100)
    assert pace.left() == "about 40 s left"
    now[0] = 15
    assert pace.left() == "about 35 s left"
    now[0] = 100
    assert pace.left() == "about 0 s left"
    pace.note("scoring", 1, 2)
    assert pace.left() == ""
