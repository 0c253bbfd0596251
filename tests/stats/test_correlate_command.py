import json

import numpy as np
import pytest

from tealeaves.cli import run
from tealeaves.commands.correlate import names
from tealeaves.scores import Scores, score_frame


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "models.csv"
    path.write_text("name,npmi,c_v,people\na,1,1,6\nb,2,3,5\nc,3,2,4\nd,4,4,3\ne,5,5,2\nf,6,6,\n")
    return path


def test_the_command_prints_each_pair_with_its_interval(capsys, table):
    assert run(["correlate", str(table), "--resamples", "50"]) == 0
    out = capsys.readouterr().out
    assert "0.943" in out
    assert "-1.000" in out
    assert out.count("[") == 3


def test_json_has_a_row_for_each_pair(capsys, table):
    assert run(["correlate", str(table), "--resamples", "50", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["correlations"]
    assert [(row["a"], row["b"], row["n"]) for row in rows] == [
        ("npmi", "c_v", 6),
        ("npmi", "people", 5),
        ("c_v", "people", 5),
    ]
    assert rows[0]["value"] == pytest.approx(1 - 6 * 2 / (6 * 35))


def test_rows_and_columns_make_the_source_s_table(capsys, table):
    options = ["--rows", "npmi,c_v", "--columns", "people", "--resamples", "50"]
    assert run(["correlate", str(table), *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "|  | people |"
    assert lines[2] == "| npmi | -1.00 [-1.00, -1.00] |"


def test_folders_of_scores_are_put_together_and_topics_are_warned_of(capsys, tmp_path):
    rng = np.random.default_rng(0)
    for folder, measure in (("one", "npmi@10"), ("two", "c_v@10")):
        found = [
            {"model": m, "measure": measure, "level": "topic", "topic": k, "value": rng.normal()}
            for m in "abc"
            for k in range(4)
        ]
        Scores(score_frame(found)).save(tmp_path / folder)
    folders = [str(tmp_path / "one"), str(tmp_path / "two")]
    assert run(["correlate", *folders, "--of", "topic", "--resamples", "20"]) == 0
    out = capsys.readouterr().out
    assert "npmi@10" in out
    assert "c_v@10" in out
    assert "--clusters model" in out
    more = ["--clusters", "model", "--json"]
    assert run(["correlate", *folders, "--of", "topic", "--resamples", "20", *more]) == 0
    assert json.loads(capsys.readouterr().out)["correlations"][0]["n"] == 12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rows", "npmi"], "--rows and --columns go together"),
        (["--measures", "npmi,umass"], "there is no column 'umass'"),
        (["--measures", "npmi"], "at least two measures are needed"),
        (["--clusters", "corpus"], "there is no column 'corpus'"),
    ],
)
def test_a_mistake_is_one_message_and_status_1(capsys, table, options, message):
    assert run(["correlate", str(table), *options]) == 1
    assert message in capsys.readouterr().err


def test_a_missing_file_and_two_tables_are_told(capsys, table, tmp_path):
    assert run(["correlate", str(tmp_path / "none.csv")]) == 1
    assert "none.csv" in capsys.readouterr().err
    assert run(["correlate", str(table), str(table)]) == 1
    assert "several tables cannot be put together" in capsys.readouterr().err


def test_commas_within_brackets_part_no_names():
    assert names("npmi(window=10, eps=1)@5, c_v ,") == ["npmi(window=10, eps=1)@5", "c_v"]


@pytest.mark.parametrize("sign", ["nan", "NaN", "NA", "-", "n/a", "NULL"])
def test_a_cell_that_says_it_is_missing_leaves_its_column_a_column_of_numbers(capsys, tmp_path, sign):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b,c\n1,2,3\n2,3,1\n3,1,2\n4,4,{sign}\n5,6,7\n")
    assert run(["correlate", str(path), "--resamples", "20", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["b"], row["n"]) for row in found["correlations"]] == [("b", 5), ("c", 4), ("c", 4)]
    assert found["left_out"] == []


def test_a_column_that_is_left_out_is_said_with_what_is_wrong_in_it(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,a,b,c\nx,1,2,3\ny,2,3,1\nz,3,1,two\nw,4,4,4\n")
    assert run(["correlate", str(path), "--resamples", "20"]) == 0
    assert "left out, for they hold no numbers: name ('x'), c ('two')" in capsys.readouterr().err
    assert run(["correlate", str(path), "--given", "c"]) == 1
    assert "column 'c' must hold numbers, but holds 'two'" in capsys.readouterr().err


@pytest.fixture
def experiment(tmp_path):
    """Two settings of five seeds, whose three scores are known; stability is of all seeds of a setting."""
    import polars as pl

    from tealeaves.experiments.experiment import COLUMNS, PLAN, Experiment

    rows = []
    for k in (4, 8):
        for seed in range(5):
            cell = {"corpus": "news", "family": "lda", "k": k, "seed": seed, "n_topics": k, "group": ""}
            npmi = {"measure": "npmi@5", "value": float(seed + k)}
            rows.append(cell | npmi | {"level": "model"})
            rows.append(cell | {"measure": "au_cdc", "value": float(seed * seed + k), "level": "model"})
            rows += [
                cell | {"measure": measure, "topic": t, "value": float(value), "level": "topic"}
                for t in range(k)
                for measure, value in (("npmi@5", seed + t), ("c_v@5", -seed - t))
            ]
        of_all = {"corpus": "news", "family": "lda", "k": k, "seed": None, "group": "", "level": "model"}
        rows.append(of_all | {"measure": "instance_stabil", "value": 1 / k})
    nothing = {"String": "", "Float64": float("nan"), "Int64": None}
    absent = {name: nothing[kind] for name, kind in COLUMNS.items()} | {"slice": None, "slice_end": None}
    schema = {name: getattr(pl, kind) for name, kind in COLUMNS.items()}
    frame = pl.DataFrame([absent | row for row in rows], schema=schema)
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / PLAN).write_text("{}")
    found = Experiment(folder, frame, {"title": "two settings"})
    found.write(figures=())
    return found


def test_the_folder_of_an_experiment_is_correlated_over_its_models_and_topics(capsys, experiment):
    options = [str(experiment.folder), "--resamples", "20", "--json"]
    assert run(["correlate", *options]) == 0
    rows = {(row["a"], row["b"]): row for row in json.loads(capsys.readouterr().out)["correlations"]}
    assert rows["npmi@5", "au_cdc"]["n"] == 10
    assert run(["correlate", *options, "--of", "topic", "--clusters", "model"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["correlations"]
    assert (pair["a"], pair["b"], pair["n"], pair["value"]) == ("npmi@5", "c_v@5", 60, pytest.approx(-1))


def test_an_experiment_is_correlated_in_python_and_a_set_is_its_seeds(experiment):
    from tealeaves.stats import correlation_matrix

    found = correlation_matrix(experiment, ["npmi@5", "n_topics", "instance_stabil"], of="set", resamples=20)
    assert found.n.tolist() == [[2, 2, 2]] * 3
    size = correlation_matrix(experiment, ["npmi@5", "n_topics"], method="pearson", resamples=20)
    wanted = np.corrcoef([s + k for k in (4, 8) for s in range(5)], [4] * 5 + [8] * 5)[0, 1]
    assert size.between("npmi@5", "n_topics").value == pytest.approx(wanted)


def test_a_table_with_a_row_for_each_score_is_refused_with_a_hint(capsys, experiment):
    assert run(["correlate", str(experiment.folder / "scores.parquet")]) == 1
    err = capsys.readouterr().err
    assert "a row for each score" in err
    assert "hand over the scores, or the folder" in err
