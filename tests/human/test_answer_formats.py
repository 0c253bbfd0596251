"""Files of others: what is read from them, and what they are told."""

import json

import numpy as np
import pytest

from human.people import chosen, items, oil_item
from tealeaves.errors import FormatError, InputError
from tealeaves.human import Answers, Item, ItemSet, read_answers, score

HEAD = "StartDate,Status,IPAddress,Duration (in seconds),Finished,ResponseId,PROLIFIC_PID,"
FAMILIAR = "I am familiar with most of these words"
NOT = "I am not familiar with them and cannot answer confidently"
IMPORTS = ",".join(f'"{{""ImportId"":""{name}""}}"' for name in "abcdefghijk")
QUALTRICS = f"""\
{HEAD}lda000,lda000_familiarity,lda001,lda001_Page Submit
Start Date,Response Type,IP Address,Duration (in seconds),Finished,Response ID,PID,Which?,Known?,Which?,Timing
{IMPORTS}
2026-01-01,IP Address,1.2.3.4,60,True,R_1,5f0a,f,{FAMILIAR},6,4.5
2026-01-01,IP Address,1.2.3.5,40,True,R_2,5f0b,A,{NOT},,
2026-01-01,Survey Preview,,40,True,R_3,5f0c,b,,b,
"""


def test_qualtrics_options_are_read_by_text_or_place_and_people_get_pseudonyms(tmp_path):
    path = tmp_path / "q.csv"
    path.write_text(QUALTRICS, "utf-8")
    answers = read_answers(path, items(2))
    assert answers.raters == ("R-001", "R-002")
    assert [value["choice"] for value in answers.values] == ["f", "f", "a"]
    assert answers.frame["correct"].to_list() == [True, True, False]
    assert answers.frame["seconds"].to_list() == [30.0, 4.5, 40.0]
    np.testing.assert_equal(answers.numbers("familiar"), [1, np.nan, 0])
    assert answers.notes == ("1 rows of previews or spam were left out",)
    assert "1.2.3.4" not in str(answers.frame.to_dicts())
    assert read_answers(path, items(2), keep_ids=True).raters == ("5f0a", "5f0b")


def test_whose_submission_prolific_has_as_returned_is_left_out_and_it_is_said(tmp_path):
    (tmp_path / "q.csv").write_text(QUALTRICS, "utf-8")
    (tmp_path / "p.csv").write_text(
        "Submission id,Participant id,Status,Time taken\ns1,5f0a,APPROVED,60\ns2,5f0b,RETURNED,40\n", "utf-8"
    )
    answers = read_answers(tmp_path / "q.csv", items(2), prolific=tmp_path / "p.csv")
    assert answers.raters == ("R-001",)
    assert answers.notes[-1] == "1 people whose submission was returned, rejected or timed out were left out"
    (tmp_path / "p.csv").write_text("id,state\n1,2\n", "utf-8")
    with pytest.raises(FormatError, match="Participant id and Status; here are id, state"):
        read_answers(tmp_path / "q.csv", items(2), prolific=tmp_path / "p.csv")


def test_questions_of_other_names_are_told_by_columns(tmp_path):
    path = tmp_path / "q.csv"
    path.write_text("ResponseId,Finished,Q1,Q2\nR_1,True,2,3\nR_2,True,1 (not related),2\n", "utf-8")
    answers = read_answers(path, columns={"Q1": "i1", "Q2": "i2"}, task="word_set_rating")
    np.testing.assert_equal(answers.matrix("rating"), [[2, 3], [1, 2]])
    with pytest.raises(FormatError, match=r"no column is an item: .* there are Q1, Q2"):
        read_answers(path, task="word_set_rating")
    with pytest.raises(FormatError, match="what was asked is not known: say task="):
        read_answers(path, columns={"Q1": "i1"})


@pytest.mark.parametrize("said", ["F", "f", "F.", {"choice": "f"}])
def test_a_model_answers_by_letter_or_text(tmp_path, said):
    path = tmp_path / "gpt.jsonl"
    path.write_text(json.dumps({"id": "lda000", "answer": said}) + "\n", "utf-8")
    answers = read_answers(path, items(1))
    assert (answers.raters, answers.frame["correct"].to_list()) == (("gpt",), [True])


def test_what_a_model_says_beside_the_options_is_an_error_or_wrong_or_missing_as_asked(tmp_path):
    path = tmp_path / "gpt.jsonl"
    path.write_text('{"id": "lda000", "answer": "f"}\n{"id": "lda001", "answer": "As a model, …"}\n', "utf-8")
    with pytest.raises(
        FormatError, match=r"gpt.jsonl:2: 'As a model, …' is no answer to item lda001; wanted"
    ):
        read_answers(path, items(2))
    wrong = read_answers(path, items(2), invalid="wrong")
    assert wrong.frame["correct"].to_list() == [True, False]
    assert wrong.notes == ("1 answer of a model was none of the options: counted as wrong",)
    assert len(read_answers(path, items(2), invalid="missing")) == 1
    with pytest.raises(FormatError, match="need the items"):
        read_answers(path)


def test_a_rating_that_is_none_is_left_out_and_never_said_to_count_as_wrong(tmp_path):
    path = tmp_path / "gpt.jsonl"
    path.write_text('{"id": "i1", "answer": "2"}\n{"id": "i2", "answer": "I cannot say"}\n', "utf-8")
    made = [Item(name, "word_set_rating", "lda", k) for k, name in enumerate(("i1", "i2"))]
    found = read_answers(path, ItemSet("word_set_rating", made), invalid="wrong")
    assert found.numbers("rating").tolist() == [2.0]
    assert found.notes == ("1 answer of a model was none of the options: left out",)


def test_a_model_s_ratings_are_read_by_the_fields_of_the_task(tmp_path):
    path = tmp_path / "gpt.jsonl"
    lines = [
        {"id": "lda000", "answer": {"relatedness": 3, "smoothness": 1}},
        {"id": "lda001", "relatedness": 2, "smoothness": 2},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    temporal = items(2, task="temporal_rating", options="", key=None)
    assert read_answers(path, temporal).numbers("smoothness").tolist() == [1, 2]


def test_a_model_is_scored_beside_people_and_not_among_them(tmp_path):
    from tealeaves.human.prompts import prompts

    test = items(3)
    people = Answers.from_rows([row for i in test for row in chosen(i.id, "ffa", study="s")], test)
    path = tmp_path / "gpt.jsonl"
    lines = [
        json.dumps({"id": i.id, "answer": next(k for k, v in prompts(i)["choices"].items() if v == "f")})
        for i in test
    ]
    path.write_text("\n".join(lines), "utf-8")
    result = score(people.with_rater(read_answers(path, test)))
    assert result.value("model_precision") == pytest.approx(2 / 3)
    [row] = result.apart.to_dicts()
    assert (row["rater"], row["value"], row["people"]) == ("gpt", 1.0, pytest.approx(2 / 3))
    assert row["agreement"] == 1.0
    assert "gpt" not in result.raters["rater"].to_list()


def test_long_tables_are_read_by_usual_names_or_told_ones(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("WorkerId,unit,rating\nw1,a,3\nw2,a,2\nw1,b,\n", "utf-8")
    assert read_answers(path, task="word_set_rating").numbers("rating").tolist() == [3, 2]
    path.write_text("who,what,said\nw1,lda000,F\nw2,lda000,b\n", "utf-8")
    answers = read_answers(path, items(1), "long", rater="who", item="what", answer="said")
    assert answers.frame["correct"].to_list() == [True, False]
    with pytest.raises(FormatError, match="which column is the rater"):
        read_answers(path, items(1), "long")


def test_wide_tables_are_read_either_way_around(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("rater,a,b\nana,3,\nben,1,2\n", "utf-8")
    answers = read_answers(path, format="wide", task="word_set_rating")
    np.testing.assert_equal(answers.matrix("rating"), [[3, np.nan], [1, 2]])
    turned = read_answers(path, format="wide", task="word_intrusion", field="correct", by="item")
    assert turned.raters == ("a", "b")
    path.write_text("rater,a\nana,high\n", "utf-8")
    with pytest.raises(FormatError, match=r"wide.csv:2: 'high' in column 'a' is no number"):
        read_answers(path, format="wide", task="word_set_rating")


def test_hoyle_s_raw_layout_tells_choices_ratings_and_controls(tmp_path):
    path = tmp_path / "raw.csv"
    path.write_text(',nytimes_etm_0,nytimes_etm_1,nytimes_fake_0\n0,"6,7","2,9",\n1,"1,8",,"6,7"\n', "utf-8")
    answers = read_answers(path)
    assert answers.frame["correct"].to_list() == [True, False, False, True]
    assert answers.frame["role"].to_list() == ["item", "item", "item", "control"]
    np.testing.assert_equal(answers.numbers("familiar"), [1, 0, 1, 1])
    path.write_text(',nytimes_etm_0,nytimes_etm_1\n0,"3,4","1,6"\n', "utf-8")
    assert read_answers(path).numbers("rating").tolist() == [3, 1]
    path.write_text(',nytimes_etm_0,nytimes_etm_1\n0,"3",\n', "utf-8")
    with pytest.raises(FormatError, match=r"raw.csv:2: '3' is no answer such as"):
        read_answers(path)


def test_the_layouts_of_hoyle_and_of_lau_and_baldwin_are_read(data):
    hoyle = read_answers(data / "human" / "hoyle2021_topics.jsonl", dataset="nytimes")
    assert len(hoyle) == 150 * (15 + 26)
    assert hoyle.models == ("mallet", "dvae", "etm")
    lau = read_answers(data / "human" / "lau_baldwin2016_ratings.tsv")
    assert len(lau) == 2_400
    first = lau.numbers("rating")[:4]
    assert first == pytest.approx([2.72727272727, 3.0, 2.77777777778, 2.81818181818])
    assert len(lau.values[0]["words"]) == 5
    only = read_answers(data / "human" / "lau_baldwin2016_ratings.tsv", top=10)
    assert score(only).models["value"].to_list() == pytest.approx([2.367569, 2.460612], abs=1e-6)
    with pytest.raises(InputError, match="none of the top 7"):
        read_answers(data / "human" / "lau_baldwin2016_ratings.tsv", top=7)


def test_oolong_s_downloads_are_read(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("rdata")
    import rdata

    def downloaded(path):
        words = pandas.DataFrame(
            {
                "position": [2, 1],
                "candidates": [["oil", "tea", "gas"], ["war", "army", "troops"]],
                "t": [1, 2],
                "intruder": ["tea", "war"],
                "answer": ["tea", None] if path.name == "1.RDS" else ["oil", "war"],
            }
        )
        return {"test_items": words, "hash": ["h"], "userid": ["Ana" if path.name == "1.RDS" else ""]}

    monkeypatch.setattr(rdata.parser, "parse_file", lambda path: path)
    monkeypatch.setattr(rdata.conversion, "convert", downloaded)
    for name in ("1.RDS", "2.RDS"):
        (tmp_path / name).write_bytes(b"X")
    answers = read_answers(tmp_path)
    assert answers.raters == ("Ana", "rater 2")
    np.testing.assert_equal(answers.matrix("correct"), [[1, np.nan], [0, 1]])
    assert score(answers).items["topic"].to_list() == [0, 1]


def test_oolong_s_topic_intrusion_brings_its_shares(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    rdata = pytest.importorskip("rdata")
    table = pandas.DataFrame(
        {
            "candidates": [[3.0, 1.0]],
            "topic_labels": [["oil, gas", "tea, cup"]],
            "thetas": [[0.5, 0.05]],
            "intruder": [1],
            "answer": ["3"],
            "text": ["Oil rose."],
        }
    )
    monkeypatch.setattr(rdata.parser, "parse_file", lambda path: path)
    monkeypatch.setattr(
        rdata.conversion, "convert", lambda path: {"test_items": table, "hash": ["h"], "userid": ["a"]}
    )
    (tmp_path / "1.RDS").write_bytes(b"X")
    answers = read_answers(tmp_path / "1.RDS")
    assert answers.numbers("log_odds").tolist() == pytest.approx([np.log(0.05) - np.log(0.5)])


def test_what_no_format_fits_is_told_with_what_to_do(tmp_path):
    for name, text, message in (
        ("a.csv", "x,y\n1,2\n", "has the columns x, y: wanted are rater, item and value"),
        ("a.jsonl", '{"x": 1}\n', "a line has x: wanted are rater"),
        ("a.docx", "x", "is no file of answers by its name"),
        ("a.RDS", "x", "what a rater downloads from oolong"),
    ):
        (tmp_path / name).write_text(text, "utf-8")
        with pytest.raises(FormatError, match=message):
            read_answers(tmp_path / name)
    with pytest.raises(InputError, match="no format of answers 'excel'"):
        read_answers(tmp_path / "a.csv", format="excel")
    with pytest.raises(InputError, match="has no option 'top'; it takes dataset"):
        read_answers(tmp_path / "a.jsonl", format="hoyle", top=3)
    with pytest.raises(FileNotFoundError):
        read_answers(tmp_path / "none.csv")


def test_an_answer_that_cannot_be_names_its_file(tmp_path):
    path = tmp_path / "a.jsonl"
    Answers.from_rows(chosen("i0001", ["gulf", "tea"])).save(path)
    with pytest.raises(FormatError, match=r"a.jsonl: answer 2: 'tea' is no option"):
        read_answers(path, ItemSet("word_intrusion", [oil_item()]))
