import json

import numpy as np
import pytest

import tealeaves as tl
from tealeaves import synthetic
from tealeaves.cli import run
from tealeaves.errors import InputError
from tealeaves.writers.dynamic import write_dynamic

GAPS = [[["oil", "gas"], None], [None, None], [["tar", "oil"], ["law", "tax"]], [["oil", "tar"], None]]


def lists():
    return tl.DynamicTopicModel.from_words(GAPS, slice_labels=["800", "1990", "1991", "1992"])


@pytest.mark.parametrize(
    ("name", "format"), [("t.json", None), ("t", "slices"), ("m", None), ("t.x", "json")]
)
def test_lists_with_gaps_are_read_back_as_they_were(tmp_path, name, format):
    write_dynamic(lists(), tmp_path / name, format)
    back = tl.read_model(tmp_path / name, format="json" if format == "json" else None)
    assert back.slice_labels == lists().slice_labels
    assert back.top_words(9) == lists().top_words(9)
    np.testing.assert_array_equal(back.present, lists().present)


def test_a_table_loses_slices_without_topics_and_says_so(tmp_path):
    assert write_dynamic(lists(), tmp_path / "t.csv") == ("CSV has no place for slices without topics",)
    back = tl.read_model(tmp_path / "t.csv")
    assert (back.slice_labels, back.top_words(9)) == (
        ("800", "1991", "1992"),
        lists().top_words(9)[:1] + lists().top_words(9)[2:],
    )


def test_as_many_slices_as_topics_are_no_question_in_what_we_wrote(tmp_path):
    write_dynamic(tl.DynamicTopicModel.from_words([[["a"], ["b"]], [["c"], ["d"]]]), tmp_path / "t.json")
    assert tl.read_model(tmp_path / "t.json").top_words(1) == [[["a"], ["b"]], [["c"], ["d"]]]


def test_the_order_of_weights_survives_every_format(tmp_path):
    _, truth = synthetic.drifting(k=3, documents=10, length=5, vocabulary=40, slices=4, seed=3)
    for name, format in (("t.json", None), ("t.csv", None), ("t", "slices")):
        write_dynamic(truth, tmp_path / name, format, top=12)
        assert tl.read_model(tmp_path / name).top_words(12) == truth.top_words(12)


@pytest.mark.parametrize(
    ("label", "word", "message"),
    [
        ("1990/91", "oil", "cannot be the name of a file"),
        ("..", "oil", "cannot be the name"),
        ("a", "new york", "blank"),
    ],
)
def test_what_a_folder_of_texts_cannot_hold_is_refused_before_anything_is_written(
    tmp_path, label, word, message
):
    model = tl.DynamicTopicModel.from_words([[[word, "gas"]]], slice_labels=[label])
    with pytest.raises(InputError, match=message):
        write_dynamic(model, tmp_path / "deep" / "t", "slices")
    assert not list(tmp_path.rglob("*.txt"))


def test_a_folder_that_is_there_is_not_written_into(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is there already: name a new folder"):
        write_dynamic(lists(), tmp_path, "slices")


def test_the_command_line_converts_and_inspects_topics_over_time(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lists().save("m")
    for arguments in (["m", "t.json"], ["t.json", "t", "--to", "slices"], ["t", "again"]):
        assert run(["convert", *arguments]) == 0
    capsys.readouterr()
    assert run(["inspect", "again", "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert (about["kind"], about["n_topics"], about["n_slices"], about["gaps"]) == ("model", 2, 4, 4)
    assert about["slices"] == ["800", "1990", "1991", "1992"]
    assert about["topics"][0] == {"800": ["oil", "gas"], "1992": ["oil", "tar"]}
    assert run(["inspect", "again"]) == 0
    assert "0 800: oil gas → 1992: oil tar" in capsys.readouterr().out
