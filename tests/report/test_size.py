"""Quality against diversity and size: which fits stand where, and when there is nothing to draw."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.fake import fake_scores
from tealeaves.report.size import LEFT, RADIUS, RIGHT, _box, balance, kind_of, sweep
from tealeaves.report.summary import summarize


def cell(value, *points, low=None, high=None):
    return {"value": value, "points": list(points), "low": low, "high": high}


def column(name, cells, best="high"):
    arrow = {"high": "↑ higher is better", "low": "↓ lower is better"}[best]
    about = {"name": name, "spec": f"{name}@10", "title": name, "arrow": arrow, "asks": "", "best": best}
    return {**about, "digits": 2, "cells": cells}


def table_of(columns, topics):
    models = [{"name": n, "topics": k, "runs": len(c["points"]) or 1} for (n, k), c in
              zip(topics.items(), columns[0]["cells"].values(), strict=True)]  # fmt: skip
    return {"columns": columns, "models": models}


@pytest.fixture
def table():
    npmi = {"a-5": cell(0.2, 0.1, 0.3), "a-10": cell(0.3, 0.3, 0.3), "a-20": cell(0.25, 0.2, 0.3)}
    own = {"a-5": cell(1.0, 1.0, 1.0), "a-10": cell(0.8, 0.7, 0.9), "a-20": cell(0.5, 0.5, 0.5)}
    return table_of(
        [column("npmi", npmi), column("topic_diversity", own)], {"a-5": 5, "a-10": 10, "a-20": 20}
    )


def test_every_run_is_a_circle_with_both_of_its_values(table):
    head, *lines = json.loads(balance(table)["rows"])
    assert head == ["model", "topics", "run", "topic_diversity@10", "npmi@10"]
    assert lines[:2] == [["a-5", 5, 1, 1.0, 0.1], ["a-5", 5, 2, 1.0, 0.3]]
    assert len(lines) == 6


def test_the_heading_names_whose_means_are_best(table):
    assert (
        balance(table)["heading"]
        == "No model has both the best npmi (a-10) and the best topic_diversity (a-5)"
    )
    own = table["columns"][1]["cells"]
    own["a-20"]["value"] = 1.0
    assert balance(table)["heading"].endswith("(a-10) and the best topic_diversity (a-5 and a-20)")
    own["a-10"]["value"] = 1.0  # as good as the others: it has both
    assert balance(table)["heading"] == "a-10 has the best npmi and the best topic_diversity"
    own["a-10"]["value"] = 1.1
    assert balance(table)["heading"] == "a-10 has the best npmi and the best topic_diversity"


def test_without_coherence_or_diversity_or_a_second_fit_there_is_no_scatter(table):
    assert balance({**table, "columns": table["columns"][:1]}) is None
    one = table_of([column("npmi", {"a": cell(0.1)}), column("diversity", {"a": cell(0.9)})], {"a": 5})
    assert balance(one) is None


def test_a_sweep_has_a_point_a_number_of_topics_and_says_where_each_measure_is_best(table):
    found = sweep(table)
    assert (
        found["heading"]
        == "How many topics? In these models npmi is best with 10 and topic_diversity is best with 5"
    )
    assert [t["k"] for t in found["panels"][0]["x"]] == [5, 10, 20]
    assert len(found["panels"][0]["lines"][0]["runs"]) == 6
    assert len(json.loads(found["rows"])) == 1 + 2 * 6


def test_two_numbers_of_topics_are_no_curve(table):
    table["models"][2]["topics"] = 10
    assert sweep(table) is None


def test_a_single_run_shows_its_interval(table):
    for c in table["columns"][0]["cells"].values():
        c.update(points=[], low=c["value"] - 0.1, high=c["value"] + 0.1)
    ends = sweep(table)["panels"][0]["lines"][0]["ends"]
    assert len(ends) == 3
    assert all(e["from"] > e["to"] for e in ends)  # a picture's y grows downwards


def test_a_report_of_models_that_differ_in_size_has_both_sections():
    made = fake_scores(models=("lda-8#1", "lda-8#2", "nmf-8#1", "nmf-8#2"))
    summary = summarize(made)
    assert summary["balance"] is not None
    assert summary["sweep"] is None  # all have eight topics


values = st.floats(-1, 1).map(lambda x: round(x, 3))


@given(st.lists(st.tuples(values, values), min_size=2, max_size=8))
def test_labels_stay_beside_a_circle_of_their_model_whatever_the_values(pairs):
    names = [f"m{i}" for i in range(len(pairs))]
    x = column("topic_diversity", {n: cell(a) for n, (a, _) in zip(names, pairs, strict=True)})
    y = column("npmi", {n: cell(b) for n, (_, b) in zip(names, pairs, strict=True)})
    for group in balance(table_of([y, x], dict.fromkeys(names, 5)))["groups"]:
        fit = group["fits"][0]
        assert LEFT <= fit["cx"] <= RIGHT
        assert abs(abs(group["x"] - fit["cx"]) - RADIUS - 3) < 0.1
        assert abs(group["y"] - fit["cy"] - 4) < 0.1


def test_a_label_ends_where_it_is_anchored():
    assert _box(100, 50, -1, 30) == (70, 40, 100, 53)
    assert _box(100, 50, 1, 30) == (100, 40, 130, 53)


@pytest.mark.parametrize(("name", "kind"), [("lda_k=40", "lda"), ("nmf", "nmf"), ("40", "model")])
def test_models_are_of_one_kind_if_only_a_last_number_differs(name, kind):
    assert kind_of(name) == kind
