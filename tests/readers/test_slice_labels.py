"""Names of slices, and axes, where a model over time does not know them."""

import json

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.cli import run
from tealeaves.errors import FormatError, InputError

WORDS = ["cup", "gas", "goal", "law", "oil", "tax", "win"]


def blei(folder):
    """A run of dtm: 2 topics of 7 words in 3 slices, and its 4 documents."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    for k in range(2):
        logs = np.log(rng.dirichlet(np.ones(7), 3)).T.ravel()
        (folder / f"topic-00{k}-var-e-log-prob.dat").write_text("".join(f"{x}\n" for x in logs))
    (folder / "info.dat").write_text("NUM_TOPICS 2\nNUM_TERMS 7\nSEQ_LENGTH 3\n")
    (folder / "gam.dat").write_text("1\n3\n2\n2\n5\n0\n1\n1\n")
    (folder / "x-vocab.txt").write_text("\n".join(WORDS))
    (folder / "x-seq.dat").write_text("3\n1\n2\n1\n")
    (folder / "x-mult.dat").write_text("2 0:1 5:2\n1 3:1\n0\n1 2:1\n")


@pytest.fixture
def array(tmp_path):
    """Weights of 3 slices × 4 topics × 7 words that could also be of 4 slices × 3 topics."""
    weights = np.random.default_rng(0).dirichlet(np.ones(7), (3, 4))
    np.savez(tmp_path / "kt.npz", topic_word=weights, vocabulary=np.array(WORDS))
    return tmp_path / "kt.npz"


def test_the_slices_of_dtm_can_be_named_and_its_documents_with_them(tmp_path):
    blei(tmp_path / "dtm")
    model = tl.read_model(tmp_path / "dtm", slice_labels=[1990, 1991, 1992])
    assert model.slice_labels == model.corpus.slice_labels == ("1990", "1991", "1992")
    assert model.slice_of.tolist() == [0, 1, 1, 2]
    assert not any("slices are called" in note for note in model.notes)


def test_a_model_that_is_not_read_from_a_file_can_have_its_slices_named(tmp_path):
    blei(tmp_path / "dtm")
    numbered = tl.read_model(tmp_path / "dtm")
    model = tl.read_model(numbered, slice_labels=["a", "b", "c"])
    assert model.slice_labels == model.corpus.slice_labels == ("a", "b", "c")
    np.testing.assert_array_equal(model.topic_word, numbered.topic_word)
    lists = tl.read_model([[["oil"], ["tax"]], [["gas"], ["tax"]]], slice_labels=[1, 2])
    assert lists.slice_labels == ("1", "2")


def test_named_slices_tell_which_axis_is_time(array):
    with pytest.raises(FormatError, match="can be read in more than one way"):
        tl.read_model(array)
    three, four = (tl.read_model(array, slice_labels=range(n)) for n in (3, 4))
    assert (three.n_slices, three.n_topics, four.n_slices, four.n_topics) == (3, 4, 4, 3)
    assert tl.read_model(array, axes="topic time word").n_slices == 4


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["x", "y"], "kt.json: has 3 slices (0, 1, 2), but 2 names for them"),
        ("xyz", "slice_labels must be a list with a name for each slice, not 'xyz'"),
        (["x", "x", "y"], "slice_labels name a slice more than once: label x"),
    ],
)
def test_wrong_names_are_told(tmp_path, labels, said):
    (tmp_path / "kt.json").write_text(json.dumps([[["oil", "gas"], ["tax", "law"]]] * 3))
    with pytest.raises(InputError) as error:
        tl.read_model(tmp_path / "kt.json", slice_labels=labels)
    assert said in str(error.value)


def test_a_static_model_has_no_slices_to_name(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps([["oil", "gas"], ["tax", "law"]]))
    with pytest.raises(InputError, match=r"t\.json: has no topics over time, so that there are no slices"):
        tl.read_model(tmp_path / "t.json", slice_labels=[1])


# --- the command line


def command(capsys, *arguments):
    status = run(list(map(str, arguments)))
    return status, *capsys.readouterr()


def test_slices_are_named_by_commas_or_in_a_file(array, tmp_path, capsys):
    (tmp_path / "years.txt").write_text("1990\n1991\n1992\n")
    for slices in ("1990, 1991,1992", tmp_path / "years.txt"):
        status, out, _ = command(capsys, "inspect", array, "--slices", slices)
        assert status == 0
        assert f"{array}: a dynamic model\n" in out
        assert "slices: 1990, 1991, 1992\n" in out


def test_every_command_that_reads_models_over_time_takes_axes_and_slices(array, tmp_path, capsys):
    (tmp_path / "docs.txt").write_text("oil gas tax\nlaw cup goal\nwin oil law tax\ngas goal cup win\n")
    (tmp_path / "static.json").write_text(json.dumps([["oil", "gas"], ["tax", "law"]]))
    shape = ("--axes", "topic time word", "--slices", "a,b,c,d")
    corpus = ("--corpus", tmp_path / "docs.txt")
    status, out, _ = command(
        capsys, "evaluate", tmp_path / "static.json", array, *shape, *corpus, "-m", "tts@3", "--json", "-q"
    )
    assert status == 0
    assert {row["slice"] for row in json.loads(out)["scores"] if row["level"] == "window"} == {"a", "b", "c"}
    status, out, _ = command(capsys, "controls", array, *shape, *corpus, "-m", "tts@3", "--json", "-q")
    assert status == 0
    assert json.loads(out)["about"]["slices"] == 4
    status, out, _ = command(capsys, "convert", array, tmp_path / "out.json", *shape)
    assert status == 0
    assert tl.read_model(tmp_path / "out.json").slice_labels == ("a", "b", "c", "d")


def test_names_of_no_slices_are_told_in_one_line(tmp_path, capsys):
    (tmp_path / "static.json").write_text(json.dumps([["oil", "gas"], ["tax", "law"]]))
    status, _, err = command(
        capsys, "evaluate", tmp_path / "static.json", "--slices", "a,b", "-m", "diversity@2"
    )
    assert status == 1
    assert "static.json: has no topics over time" in err
    status, _, err = command(capsys, "inspect", tmp_path / "static.json", "--slices", "years.txt")
    assert status == 1
    assert "years.txt" in err
