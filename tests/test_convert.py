"""``tealeaves convert`` and ``tealeaves inspect --diagnostics``, as a user calls them."""

import json

import pytest

from tealeaves.cli import main
from tealeaves.corpus import load_corpus, read_corpus
from tealeaves.model import load_model, read_model

WEIGHTS = (
    '{"vocabulary": ["gas", "oil", "tax"], "topic_word": [[0.25, 0.75, 0], [0, 0.25, 0.75]], "alpha": 0.5}'
)
STATE = """#doc source pos typeindex type topic
#alpha : 0.5 0.25
#beta : 0.1
0 NA 0 0 oil 0
0 NA 1 1 gas 0
1 NA 0 2 tax 1
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights.json").write_text(WEIGHTS)
    (tmp_path / "state").write_text(STATE)
    (tmp_path / "docs.jsonl").write_text(
        '{"text": "Oil and gas", "year": 1999}\n{"text": "Tax", "year": 2000}\n'
    )
    return tmp_path


def call(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main([*map(str, arguments)])
    out, err = capsys.readouterr()
    return end.value.code or 0, out, err


@pytest.mark.parametrize(
    ("target", "to"),
    [
        ("m", None),
        ("m.json", None),
        ("m.csv", None),
        ("m.npz", None),
        ("w.json", "json-weights"),
        ("w.csv", "csv-weights"),
        ("o.json", "octis-json"),
        ("run", "mallet"),
    ],
)
def test_a_model_goes_into_every_form_and_comes_back(folder, capsys, target, to):
    options = [] if to is None else ["--to", to]
    status, out, err = call(capsys, "convert", "weights.json", target, *options)
    assert (status, out) == (0, f"{target}: 2 topics of weights.json\n")
    assert read_model(folder / target).top_words(2) == [["oil", "gas"], ["tax", "oil"]]
    assert ("Note: " in err) == (
        target in {"m.json", "m.csv", "m.npz", "w.csv", "o.json"}
    )  # alpha is left out


def test_a_state_goes_into_pyldavis_with_its_documents(folder, capsys):
    assert call(capsys, "convert", "state", "vis.json", "--to", "pyldavis")[0] == 0
    content = json.loads((folder / "vis.json").read_text())
    assert (content["doc_lengths"], content["term_frequency"]) == ([2, 1], [1, 1, 1])


def test_a_corpus_goes_into_formats_of_corpora(folder, capsys):
    status, out, _ = call(
        capsys, "convert", "docs.jsonl", "docs.ldac", "--text", "text", "--time", "year", "--json"
    )
    assert status == 0
    said = json.loads(out)
    assert (said["documents"], said["words"]) == (2, 4)
    assert any("no place for" in note for note in said["notes"])
    assert read_corpus(folder / "docs.ldac").n_tokens == 4
    assert call(capsys, "convert", "docs.jsonl", "docs", "--text", "text")[0] == 0
    assert len(load_corpus(folder / "docs")) == 2
    assert call(capsys, "convert", "docs", "docs.txt")[0] == 0
    assert read_corpus(folder / "docs.txt", tokenized=True).n_tokens == 4


def test_topics_over_time_keep_their_slices(folder, capsys):
    (folder / "t.json").write_text(
        '{"axes": "time topic", "times": ["1999", "2000"], "topics": [[["oil"], ["tax"]], [["gas"], null]]}'
    )
    for target in ("t", "u.json", "t.csv"):
        assert call(capsys, "convert", "t.json", target)[0] == 0
    for target in ("t", "u.json"):
        assert read_model(folder / target).top_words(1) == [[["oil"], ["tax"]], [["gas"], []]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["weights.json", "m.xyz"], "m.xyz: its name tells no format"),
        (
            ["weights.json", "m", "--to", "excel"],
            "--to takes a format's name, not 'excel'; there are, of models: ",
        ),
        (["weights.json", "m", "--to", "ldac"], "weights.json"),
        (["m.json", "n.json"], "m.json"),
        (["weights.json", "vis.json", "--to", "pyldavis"], "pyLDAvis needs topics of documents"),
    ],
)
def test_a_mistake_is_one_message(folder, capsys, arguments, said):
    status, out, err = call(capsys, "convert", *arguments)
    assert (status, out, err.count("Error:")) == (1, "", 1)
    assert said in err


def test_a_folder_that_holds_something_else_is_left_alone(folder, capsys):
    (folder / "m").mkdir()
    (folder / "m" / "mine").write_text("x")
    status, _, err = call(capsys, "convert", "weights.json", "m")
    assert (status, (folder / "m" / "mine").read_text()) == (1, "x")
    assert "would be lost" in err
    assert call(capsys, "convert", "weights.json", "n")[0] == 0
    assert call(capsys, "convert", "state", "n")[0] == 0  # a model gives way to a model
    assert load_model(folder / "n").assignments is not None


def test_diagnostics_are_printed_for_a_topic_each(folder, capsys):
    status, out, _ = call(capsys, "inspect", "state", "--diagnostics")
    assert status == 0
    head, *rows = out.splitlines()
    assert head.split("\t")[:3] == ["topic", "tokens", "document_entropy"]
    assert [row.split("\t")[:2] for row in rows] == [["0", "2.0000"], ["1", "1.0000"]]
    content = json.loads(call(capsys, "inspect", "weights.json", "--diagnostics", "--json")[1])
    assert content["diagnostics"][0]["tokens"] is None
    assert content["diagnostics"][0]["eff_num_words"] == 1.6
    status, _, err = call(capsys, "inspect", "docs.jsonl", "--diagnostics")
    assert (status, "--diagnostics is for models" in err) == (1, True)
