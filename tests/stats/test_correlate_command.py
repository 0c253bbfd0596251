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
