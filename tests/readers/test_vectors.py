import json

import numpy as np
import pytest

from tealeaves.cli import run
from tealeaves.errors import FormatError
from tealeaves.readers.vectors import read_vectors


def test_vectors_are_read_with_and_without_word2vec_s_first_line(tmp_path):
    for i, head in enumerate(("", "2 3\n")):
        path = tmp_path / f"v{i}.txt"
        path.write_text(head + "oil 1 0 0.5\ngas -1 0 1e-3\n", "utf-8")
        words, rows = read_vectors(path)
        assert words == ["oil", "gas"]
        np.testing.assert_array_equal(rows, [[1, 0, 0.5], [-1, 0, 0.001]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("oil 1 0\ngas 1\n", r"v\.txt:2: wanted 2 numbers as on the lines before; found 1"),
        ("oil 1 0\ngas 1 x\n", r"v\.txt:2: wanted a word and its numbers"),
        ("oil\n", r"v\.txt:1: wanted numbers after the word"),
        ("", r"v\.txt: .*(no word vectors|empty)"),
    ],
)
def test_what_is_no_vector_is_one_error_that_says_where(tmp_path, text, message):
    path = tmp_path / "v.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(FormatError, match=message):
        read_vectors(path)


def test_the_command_line_scores_with_vectors(tmp_path, capsys):
    (tmp_path / "topics.txt").write_text("oil gas\noil tax\n", "utf-8")
    (tmp_path / "v.txt").write_text("oil 1 0\ngas 1 0\ntax -1 0\n", "utf-8")
    call = ["evaluate", str(tmp_path / "topics.txt"), "--vectors", str(tmp_path / "v.txt")]
    assert run([*call, "--measures", "we_coherence@2", "--no-ci", "--json", "--quiet"]) == 0
    rows = json.loads(capsys.readouterr().out)["scores"]
    assert [row["value"] for row in rows if row["level"] == "topic"] == [1, -1]
