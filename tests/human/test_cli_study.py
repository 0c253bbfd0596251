"""`tealeaves study`: from models to a folder, to a server, to results."""

import csv
import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("sqlalchemy")

from sqlalchemy import select

from human import simulated
from tealeaves import TopicModel, read_model
from tealeaves.cli import run
from tealeaves.human import items as make_items
from tealeaves.human.app import tables
from tealeaves.human.app.organiser_data import load, opened
from tealeaves.human.serving import raters_needed
from tealeaves.human.study import Study
from tealeaves.matcher import Matcher
from tealeaves.matcher_files import read_pairs
from tealeaves.matcher_pairs import TopicPairs


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    for seed, name in enumerate(("lda", "nmf")):
        rng = np.random.default_rng(seed)
        words = [f"w{i:03d}" for i in range(400)]
        TopicModel(words, topic_word=rng.dirichlet(np.full(400, 0.05), 12)).save(root / name)
    return root


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    made, store = simulated.study(tmp_path_factory.mktemp("s") / "oil", people=simulated.crowd())
    store.close()
    return made.folder


def tealeaves(capsys, *arguments):
    status = run(["study", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def create(capsys, folder, models, *more):
    model = ("--task", "word_intrusion", "--model", models / "lda")
    return tealeaves(capsys, "create", folder, *model, *more)


@pytest.mark.parametrize(
    "name", ["create", "change", "serve", "status", "promote", "export", "score", "rounds", "forget"]
)
def test_every_help_ends_with_examples_and_has_json_and_quiet(capsys, name):
    status, out, _ = tealeaves(capsys, name, "--help")
    assert status == 0
    assert f"Examples:\n  tealeaves study {name} " in out
    assert "--json" in out
    assert "--quiet" in out


def test_create_makes_a_draft_and_says_what_comes_next(capsys, models, tmp_path):
    status, out, _ = create(capsys, tmp_path / "oil", models, "--seed", "3", "--payment", "£2.00")
    assert status == 0
    assert "word_intrusion, 12 items, 4 checks, 2 practice (seed 3)" in out
    needed = raters_needed((made := Study.open(tmp_path / "oil")).items, made.settings)
    assert needed >= 5
    assert f"cost: about £{2 * needed} ({needed} × £2.00)" in out
    assert "in model precision between two models is found in 70 to 80% of such studies" in out
    assert out.endswith(f"Next: tealeaves study serve {tmp_path / 'oil'}\n")
    study = Study.open(tmp_path / "oil")
    assert (study.state, study.items.seed, study.settings.payment) == ("draft", 3, "£2.00")
    assert study.settings.rules["checks"] == 0.75


def test_the_same_seed_makes_the_same_items_as_the_library(capsys, models, tmp_path):
    create(capsys, tmp_path / "a", models, "--seed", "3", "--checks", "0", "--practice", "0", "--quiet")
    made = make_items("word_intrusion", {"lda": read_model(models / "lda")}, seed=3)
    assert Study.open(tmp_path / "a").items == made


def test_settings_come_from_a_file_and_options_go_before_it(capsys, models, tmp_path):
    (tmp_path / "s.toml").write_text(
        'title = "From a file"\nanswers_per_item = 9\nbreak_every = 7\n'
        "[rules]\nspeed = 0.5\n[items]\nn_words = 4\n"
    )
    options = ("--settings", tmp_path / "s.toml", "--raters-per-item", "3", "-n", "5")
    status, out, _ = create(capsys, tmp_path / "oil", models, *options, "--json")
    assert status == 0
    told = json.loads(out)
    settings = Study.open(tmp_path / "oil").settings
    assert (settings.title, settings.answers_per_item, settings.break_every) == ("From a file", 3, 7)
    assert settings.rules == {"speed": 0.5}
    assert told["items"]["item"] == 5
    assert len(Study.open(tmp_path / "oil").items[0].options) == 5
    assert told["estimate"]["answers"] == 15


def test_topics_without_a_valid_item_are_told_with_the_reason(capsys, tmp_path):
    words = [["oil", "gas", "crude", "opec", "fuel"], ["fuel", "opec", "oil", "gas", "crude"]]
    TopicModel.from_words(words).save(tmp_path / "two")
    status, _, err = tealeaves(
        capsys, "create", tmp_path / "s", "--task", "word_intrusion", "--model", tmp_path / "two"
    )
    assert status == 1
    assert "no topic has a valid item of word_intrusion, such as two 0: no intruder, since none of" in err
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (("--task", "word_intruder"), "there is no task 'word_intruder'; did you mean 'word_intrusion'"),
        ((), "name a task with --task"),
        (("--task", "word_intrusion"), "items are made of models: name one with --model"),
        (("--task", "word_intrusion", "--model", "nowhere"), "no such file or folder"),
        (("--items", "nowhere.jsonl"), "no such file or folder"),
    ],
)
def test_mistakes_are_told_in_a_sentence(capsys, tmp_path, options, wanted):
    status, _, err = tealeaves(capsys, "create", tmp_path / "s", *options)
    assert status == 1
    assert wanted in err
    assert "Traceback" not in err
    assert not (tmp_path / "s").exists()


def test_a_folder_that_holds_something_is_left_alone(capsys, models, tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    status, _, err = create(capsys, tmp_path, models)
    assert status == 1
    assert "is there already: name another folder" in err


def test_a_setting_that_there_is_not_names_those_there_are(capsys, models, tmp_path):
    (tmp_path / "s.toml").write_text("titel = 'x'\n")
    status, _, err = create(capsys, tmp_path / "s", models, "--settings", tmp_path / "s.toml")
    assert (status, "there is no setting 'titel'" in err) == (1, True)
    (tmp_path / "s.toml").write_text("title = \n")
    status, _, err = create(capsys, tmp_path / "s", models, "--settings", tmp_path / "s.toml")
    assert (status, "is not TOML" in err) == (1, True)


def test_screening_and_scores_can_be_given_from_the_start(capsys, models, tmp_path):
    asked = "Do you read English? +Yes +A little -No"
    status, _, err = create(capsys, tmp_path / "s", models, "--screen", asked, "--scores", tmp_path)
    assert status == 0
    [question] = Study.open(tmp_path / "s").settings.screening
    assert (question["options"], question["accept"]) == (["Yes", "A little", "No"], [0, 1])
    assert "holds no scores" in err
    assert "made without scores" in err
    status, _, err = create(capsys, tmp_path / "t", models, "--screen", "Do you read English?")
    assert (status, "with + before every option that lets in" in err) == (1, True)
    assert not (tmp_path / "t").exists()


def test_status_says_how_far_a_study_is_and_what_needs_a_look(capsys, live):
    status, out, _ = tealeaves(capsys, "status", live)
    assert status == 0
    assert "Simulated topics (oil): live" in out
    with opened(live) as (study, store):
        data = load(study, store, time.time())
    assert f"answers: {sum(row['role'] == 'item' for row in data.latest)} of 312" in out
    assert "3 raters fall under the rules" in out
    status, out, _ = tealeaves(capsys, "status", live, "--json")
    told = json.loads(out)[0]
    assert told["left_out"] == {"R-005": ["checks"], "R-006": ["time"], "R-007": ["position"]}
    assert told["answers"] == sum(row["role"] == "item" for row in data.latest)
    assert told["complete"] <= told["items"] == 24


def test_status_can_take_a_study_on(capsys, models, tmp_path):
    create(capsys, tmp_path / "oil", models)
    assert "pilot" in tealeaves(capsys, "status", tmp_path / "oil", "--move", "pilot")[1]
    assert Study.open(tmp_path / "oil").state == "pilot"
    status, _, err = tealeaves(capsys, "status", tmp_path / "oil", "--move", "pilot")
    assert (status, "a study that is pilot becomes live or paused or closed, not pilot" in err) == (1, True)


def test_export_writes_the_files_that_are_asked_for(capsys, live, tmp_path):
    status, out, _ = tealeaves(capsys, "export", live, "--out", tmp_path / "all")
    assert status == 0
    assert len(list((tmp_path / "all").iterdir())) == 8 == len(out.splitlines())
    tealeaves(capsys, "export", live, "--out", tmp_path / "one", "--file", "methods.md")
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["methods.md"]
    status, _, err = tealeaves(capsys, "export", live, "--file", "x.csv")
    assert (status, "there is no export 'x.csv'" in err) == (1, True)


def test_platform_numbers_are_a_file_of_their_own(capsys, live, tmp_path):
    assert tealeaves(capsys, "export", live, "--platform-numbers", tmp_path / "who.csv")[0] == 0
    rows = list(csv.DictReader((tmp_path / "who.csv").read_text().splitlines()))
    assert rows[0]["rater"] == "R-001"
    assert rows[0]["number"] == "person00000001"


def test_a_model_answers_prompts_and_is_scored_as_one_more_rater(capsys, live, tmp_path):
    assert tealeaves(capsys, "export", live, "--prompts", tmp_path / "prompts.jsonl")[0] == 0
    prompts = [json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text().splitlines()]
    items = Study.open(live).items
    assert not any(
        "odd" in json.dumps(prompt).replace(items.by_id[prompt["id"]].key, "") for prompt in prompts[:1]
    )
    answers = [{"id": prompt["id"], "answer": items.by_id[prompt["id"]].key} for prompt in prompts]
    (tmp_path / "llm.jsonl").write_text("\n".join(map(json.dumps, answers)) + "\n")
    people = json.loads(tealeaves(capsys, "score", live, "--json", "--resamples", "100")[1])
    model = ("--model-rater", tmp_path / "llm.jsonl", "--resamples", "100", "--json")
    both = json.loads(tealeaves(capsys, "score", live, *model)[1])
    assert both["models"] == people["models"]  # a model is scored beside people, never among them
    said = tealeaves(capsys, "score", live, *model[:-1])[1]
    assert re.search(r"llm beside people, model_precision of lda: 1\.00, people's of the same 0\.\d\d", said)
    assert {(row["rater"], row["value"]) for row in both["apart"]} == {("llm", 1.0)}


def test_score_leaves_out_raters_by_the_rules_unless_asked_not_to(capsys, live):
    kept = json.loads(tealeaves(capsys, "score", live, "--json", "--resamples", "100")[1])
    every = json.loads(tealeaves(capsys, "score", live, "--json", "--resamples", "100", "--all-raters")[1])
    assert len(every["raters"]) == len(kept["raters"]) + 3
    assert every["models"][0]["value"] < kept["models"][0]["value"]
    assert any("3 of" in text and "left out by its rules" in text for text in kept["notes"])


@pytest.mark.parametrize("every", [(), ("--all-raters",)])
def test_score_of_an_export_is_the_score_of_the_study(capsys, live, tmp_path, every):
    tealeaves(capsys, "export", live, "--out", tmp_path / "out")
    more = ("--json", "--resamples", "100", *every)
    own = json.loads(tealeaves(capsys, "score", live, *more)[1])
    files = (tmp_path / "out" / "answers.csv", "--items", tmp_path / "out" / "items.jsonl")
    for given in (files, (tmp_path / "out",)):
        found = json.loads(tealeaves(capsys, "score", *given, *more)[1])
        assert found["models"] == own["models"]
        assert any("left out by the rules" in text for text in found["notes"]) == (not every)


def test_a_score_that_fails_is_no_look_at_the_results(capsys, tmp_path):
    made, store = simulated.study(tmp_path / "oil", people=[simulated.Rater(0.2, checks=0.1)] * 2)
    status, _, err = tealeaves(capsys, "score", made.folder)
    assert status == 1
    assert "all 2 raters are left out by the rules of the study; --all-raters scores them" in err
    with store.reading() as connection:
        assert connection.execute(select(tables.rules)).all() == []
    store.close()


def checked(made, store, number):
    """A rater who has answered one check and nothing that counts."""
    check = next(item for item in made.items if item.role == "check")
    simulated.say(made, store, number, {check.id: {"choice": check.key, "familiarity": "most"}})


def test_where_nothing_is_scored_score_says_whether_it_is_the_rules_or_that_nobody_has_answered(
    capsys, tmp_path
):
    made, store = simulated.study(tmp_path / "new")
    checked(made, store, 1)
    store.close()
    said = f"{made.folder}: no item that counts is answered yet; see `tealeaves study status`"
    assert said in tealeaves(capsys, "score", made.folder)[2]
    made, store = simulated.study(tmp_path / "out", people=[simulated.Rater(0.2, checks=0.1)] * 2)
    checked(made, store, 3)
    store.close()
    status, _, err = tealeaves(capsys, "score", made.folder)
    assert "all 2 raters are left out by the rules of the study; --all-raters scores them" in err
    assert status == 1
    assert tealeaves(capsys, "score", made.folder, "--all-raters", "--resamples", "100")[0] == 0


def test_forget_deletes_the_platform_s_numbers_once_the_study_is_closed(capsys, tmp_path):
    made, store = simulated.study(tmp_path / "oil", people=simulated.crowd(2))
    store.close()
    status, _, err = tealeaves(capsys, "forget", made.folder)
    assert (status, "is live, so that raters must still be paid; first: tealeaves study status" in err) == (
        1,
        True,
    )
    _, out, _ = tealeaves(capsys, "status", made.folder, "--move", "closed")
    assert "platform: 7 numbers of raters are kept; `forget` deletes them" in out
    status, out, _ = tealeaves(capsys, "forget", made.folder, "--export", tmp_path / "who.csv")
    assert (status, "7 numbers of the platform are deleted" in out) == (0, True)
    assert (tmp_path / "who.csv").read_text().count("prolific,person") == 7
    assert b"person0000" not in b"".join(path.read_bytes() for path in made.folder.glob("study.db*"))
    _, out, _ = tealeaves(capsys, "status", made.folder)
    assert "numbers of raters" not in out
    assert json.loads(tealeaves(capsys, "score", made.folder, "--json", "--resamples", "100")[1])["models"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--settings", "t.toml"), r"nope \(of items\)"),
        (("--checks", "3"), r"checks \(of items\)"),
        (("--task", "word_intrusion", "--model", "lda"), "--task, --model"),
    ],
)
def test_what_whole_items_make_nothing_of_is_refused(capsys, models, live, tmp_path, monkeypatch, more, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.toml").write_text("[items]\nnope = 1\n")
    (tmp_path / "lda").mkdir()
    status, _, err = tealeaves(capsys, "create", "new", "--items", live / "items.jsonl", *more)
    assert status == 1
    assert re.search(f"--items are whole, and nothing is made of {said}: leave that out", err)
    assert not (tmp_path / "new").exists()


def test_score_prints_a_table_and_writes_all_of_them(capsys, live, tmp_path):
    status, out, err = tealeaves(capsys, "score", live, "--out", tmp_path / "r", "--resamples", "100")
    assert status == 0
    assert re.search(r"\| oil: word_intrusion \| model_precision \| lda \| 0\.\d\d \| \[0\.", out)
    assert "alpha, right or wrong, nominal: 0." in out
    assert "they are too narrow" in err
    tables = ("models", "topics", "items", "raters", "agreement", "differences", "apart", "positions")
    names = {path.name for path in (tmp_path / "r").iterdir()}
    assert names == {*(f"{name}.csv" for name in tables), "result.json"}
    told = json.loads((tmp_path / "r" / "result.json").read_text())
    assert told["scores"][0]["measure"] == "model_precision"


def test_a_look_at_results_before_the_end_is_kept_wherever_it_is_taken(capsys, tmp_path):
    made, store = simulated.study(tmp_path / "oil", people=simulated.crowd(4))
    store.close()
    _, _, err = tealeaves(capsys, "score", made.folder, "--resamples", "100")
    assert "the study is live; that its results were looked at is kept in its log" in err
    tealeaves(capsys, "export", made.folder, "--out", tmp_path / "out", "--file", "methods.md")
    text = (tmp_path / "out" / "methods.md").read_text()
    assert "Results were looked at before the study was closed: on" in text
    assert "Results: model precision" not in text  # they are hidden again


def test_automatic_measures_are_correlated_with_what_people_say(capsys, tmp_path):
    from tealeaves import Corpus, evaluate

    rng = np.random.default_rng(0)
    words = [f"{a}{b}r{a}" for a in "bdfgklmnpt" for b in "aeiouy"]
    model = TopicModel(words, topic_word=rng.dirichlet(np.full(60, 0.1), 12))
    docs = [" ".join(rng.choice(words, 40, p=model.topic_word[d % 12])) for d in range(900)]
    evaluate({"lda": model}, Corpus.from_texts(docs), measures=["npmi@5", "umass@5"]).save(
        tmp_path / "scores"
    )
    made, store = simulated.study(tmp_path / "oil", simulated.word_items(("lda",)), simulated.crowd(5))
    store.close()
    options = ("--scores", tmp_path / "scores", "--resamples", "100", "--out", tmp_path / "r")
    status, out, _ = tealeaves(capsys, "score", made.folder, *options)
    assert status == 0
    assert re.search(r"\| measure \| .*model_precision \|", out)
    assert re.search(r"\| npmi@5 \| -?0\.\d{3}", out)
    rows = list(csv.DictReader((tmp_path / "r" / "relations.csv").read_text().splitlines()))
    assert {row["measure"] for row in rows} == {"npmi@5", "umass@5"}
    from tealeaves.scores import load_scores

    assert load_scores(tmp_path / "r" / "scores").details.human["relations"]


def test_people_are_scored_where_the_scores_that_a_study_keeps_cannot_be_read(capsys, tmp_path):
    made, store = simulated.study(tmp_path / "oil", simulated.word_items(("lda",)), simulated.crowd(5))
    store.close()
    (made.folder / "scores").mkdir()
    status, out, err = tealeaves(capsys, "score", made.folder, "--resamples", "100")
    assert (status, "model_precision" in out, "Spearman" in out) == (0, True, False)
    assert "the scores that the study keeps cannot be read, and nothing is set beside people's" in err
    assert f"`study change {made.folder} --scores FOLDER` takes others" in err
    status, _, err = tealeaves(capsys, "score", made.folder, "--scores", made.folder / "scores")
    assert (status, "holds no scores" in err) == (1, True)  # those that are named are wanted


def test_a_folder_that_is_no_study_is_told(capsys, tmp_path):
    for name in ("status", "export", "score", "serve"):
        status, _, err = tealeaves(capsys, name, tmp_path)
        assert status == 1
        assert re.search("is no study|holds no study|is neither a study nor", err)


# Rounds


def pairs_study(folder, pairs, labels, models):
    """A study of these pairs, in which three raters gave these labels."""
    items = make_items("topic_pair_matching", None, pairs=pairs, seed=0)
    made, store = simulated.study(folder, items, answers_per_item=3, rules={})
    for number, row in enumerate(labels, start=1):
        values = {
            item.id: {"label": float(x), "names": ["a", "b"]} for item, x in zip(items, row, strict=True)
        }
        simulated.say(made, store, number, values)
    store.close()
    return made.folder


@pytest.fixture(scope="module")
def pool(models, tmp_path_factory):
    read = {name: read_model(models / name) for name in ("lda", "nmf")}
    path = tmp_path_factory.mktemp("pairs") / "pool.json"
    Matcher.sample(read, n=120, seed=1).save(path)
    return path


def test_rounds_begin_with_fifteen_pairs_and_go_on_with_new_ones(capsys, pool, models, tmp_path):
    status, out, _ = tealeaves(capsys, "rounds", "--pool", pool, "--out", tmp_path / "pilot.json")
    assert status == 0
    assert "15 pairs of the next round (pilot)" in out
    first = read_pairs(tmp_path / "pilot.json")
    labels = np.zeros((3, 15))
    labels[:, :5] = 1
    labels[2, 7] = 1
    study = pairs_study(tmp_path / "pilot", first, labels, models)
    status, out, _ = tealeaves(capsys, "rounds", study, "--pool", pool, "--out", tmp_path / "next.json")
    assert status == 0
    assert "pilot: 15 of 15 pairs judged by all 3 raters" in out
    assert "alpha: nominal 0.90" in out
    assert "talk about pair 7 (R-001 0, R-002 0, R-003 1):" in out
    assert "50 pairs of the next round (calibration)" in out
    assert (
        f"tealeaves study create calibration --task topic_pair_matching --pairs {tmp_path / 'next.json'}"
        in out
    )
    further = read_pairs(tmp_path / "next.json")
    assert not set(further.pairs) & set(first.pairs)


def test_rounds_of_labelled_pairs_need_no_study(capsys, pool, tmp_path):
    pairs = read_pairs(pool)[:20]
    TopicPairs(pairs, labels=[[1.0] * 10 + [0.0] * 10] * 2).save(tmp_path / "judged.json")
    told = json.loads(tealeaves(capsys, "rounds", tmp_path / "judged.json", "--json")[1])
    assert told["rounds"][0]["alpha_ordinal"] == 1.0
    assert told["next"]["name"] == "calibration"
    status, _, err = tealeaves(capsys, "rounds", pool)
    assert (status, "these pairs have no labels yet" in err) == (1, True)


def test_rounds_of_another_task_are_refused(capsys, live, pool, tmp_path):
    status, _, err = tealeaves(capsys, "rounds", live)
    assert (status, "is a study of word_intrusion" in err) == (1, True)
    status, _, err = tealeaves(capsys, "rounds", "--pool", pool)
    assert (status, "the next pairs need both" in err) == (1, True)


# A server


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.mark.parametrize("workers", [1, 2])
def test_serve_prints_both_links_serves_and_ends_cleanly(models, tmp_path, workers):
    simulated.study(tmp_path / "oil", people=[simulated.Rater()])[1].close()
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "tealeaves",
        "study",
        "serve",
        str(tmp_path / "oil"),
        "--port",
        str(port),
    ]
    server = subprocess.Popen(
        [*command, "--workers", str(workers)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        page = None
        for _ in range(150):
            try:
                page = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).read().decode()
                break
            except OSError:
                time.sleep(0.2)
        assert page is not None
        assert not re.search(r"intruder|\bkey\b|odd0x", page)
    finally:
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=30)
    assert f"for raters: http://localhost:{port}/s/oil/" in out
    assert re.search(rf"http://localhost:{port}/organiser/login\?token=[\w-]{{43}}\n", out)
    assert server.returncode == 0, err
    assert "stopped; every answer is saved" in err
    assert "Traceback" not in err


def test_a_port_that_is_taken_is_said_before_any_link_and_the_token_stays(capsys, live):
    before = (live / "organiser.json").read_bytes() if (live / "organiser.json").exists() else None
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        status, out, err = tealeaves(capsys, "serve", live, "--port", port)
    assert (status, out) == (1, "")
    assert f"nothing can be served at 127.0.0.1, port {port}, as it is said: address already in use" in err
    after = (live / "organiser.json").read_bytes() if (live / "organiser.json").exists() else None
    assert after == before


def test_the_url_of_a_proxy_stands_in_the_links(capsys, live, monkeypatch):
    told = {}
    monkeypatch.setattr("tealeaves.human.app.server.run", lambda *folders, **how: told.update(how))
    status, out, _ = tealeaves(
        capsys, "serve", live, "--url", "https://studies.example.org/", "--port", free_port(), "--json"
    )
    assert status == 0
    links = json.loads(out)
    assert links["raters"] == {"oil": "https://studies.example.org/s/oil/"}
    assert links["organiser"].startswith("https://studies.example.org/organiser/login?token=")
    assert told["behind_proxy"] is True


@pytest.mark.parametrize(
    ("language", "more", "checks", "controls", "judged"),
    [
        ("en", (), 4, 2, True),
        ("de", (), 0, 4, True),  # they are judged by the same rule, and one slip is forgiven
        ("de", ("--controls", "3"), 0, 3, False),  # one slip would be a third
        ("en", ("--checks", "0"), 0, 2, False),
    ],
)
def test_topics_of_random_words_stand_in_for_checks_that_there_are_not(
    capsys, models, tmp_path, language, more, checks, controls, judged
):
    model = ("--task", "word_set_rating", "--model", models / "lda", "--language", language)
    status, _, err = tealeaves(capsys, "create", tmp_path / "s", *model, *more)
    made = Study.open(tmp_path / "s")
    roles = [item.role for item in made.items]
    assert (status, roles.count("check"), roles.count("control")) == (0, checks, controls)
    assert made.settings.rules.get("checks") == (0.75 if judged else None)
    assert (f"{controls} topics of random words stand in for them" in err) == (language == "de")


def test_pages_in_another_language_have_checks_of_one_s_own_words_and_else_it_is_said(
    capsys, models, tmp_path
):
    status, _, err = create(capsys, tmp_path / "plain", models, "--language", "de")
    assert (status, "no checks, as those that come with tealeaves are English" in err) == (0, True)
    assert not any(item.role == "check" for item in Study.open(tmp_path / "plain").items)
    subjects = {f"s{n}": [f"wort{chr(97 + n)}{chr(97 + w)}" for w in range(15)] for n in range(8)}
    lines = [f"{name} = {json.dumps(words)}" for name, words in subjects.items()]
    (tmp_path / "s.toml").write_text("\n".join(['language = "de"', "[items.obvious]", *lines]))
    status, _, err = create(capsys, tmp_path / "own", models, "--settings", tmp_path / "s.toml")
    assert (status, "no checks" in err) == (0, False)
    checks = [item for item in Study.open(tmp_path / "own").items if item.role == "check"]
    assert len(checks) == 4
    assert all(option.startswith("wort") for item in checks for option in item.options)


@pytest.mark.parametrize("by", ["option", "file"])
def test_places_given_out_again_go_with_rules_that_judge_one_rater_alone(capsys, models, tmp_path, by):
    (tmp_path / "s.toml").write_text("replace_excluded = true\n")
    more = ("--replace-excluded",) if by == "option" else ("--settings", tmp_path / "s.toml")
    status, _, err = create(capsys, tmp_path / "oil", models, *more)
    assert (status, "Error" in err) == (0, False)
    settings = Study.open(tmp_path / "oil").settings
    assert settings.replace_excluded
    assert settings.rules
    assert "speed" not in settings.rules


def test_a_draft_is_changed_by_a_file_and_a_live_study_is_not(capsys, models, tmp_path):
    create(capsys, tmp_path / "oil", models, "--quiet")
    before = Study.open(tmp_path / "oil").settings
    (tmp_path / "s.toml").write_text(
        'contact = "a@example.org"\nminutes = "9"\nplatform = "prolific"\n[codes]\nfull = "FULL99"\n'
        '[[screening]]\nquestion = "Do you read English?"\noptions = ["yes", "no"]\naccept = [0]\n'
    )
    change = ("change", tmp_path / "oil", "--settings", tmp_path / "s.toml")
    status, out, _ = tealeaves(capsys, *change)
    assert status == 0
    assert "contact: '' → 'a@example.org'" in out
    after = Study.open(tmp_path / "oil").settings
    assert (after.contact, after.platform, after.rules) == ("a@example.org", "prolific", before.rules)
    assert after.codes == {**before.codes, "full": "FULL99"}
    assert after.screening[0]["accept"] == [0]
    assert tealeaves(capsys, *change)[1] == "nothing changed: all of it was so before\n"
    for text, said in (
        ("titel = 'x'", "there is no setting 'titel'"),
        ("language = 'xx'", "the study's language is 'xx'"),
        ("rules = 5", "not what was wanted"),
        ("codes = 5", "codes must be a table"),
        ("[items]\nn_words = 4", "items are made once"),
    ):
        (tmp_path / "s.toml").write_text(text)
        status, _, err = tealeaves(capsys, *change)
        assert (status, said in err) == (1, True), err
    assert Study.open(tmp_path / "oil").settings == after
    Study.open(tmp_path / "oil").move("live")
    (tmp_path / "s.toml").write_text("title = 'Other'")
    status, _, err = tealeaves(capsys, *change)
    assert (status, "the study was frozen at" in err) == (1, True)
    status, _, err = tealeaves(capsys, "change", tmp_path / "oil")
    assert (status, "name what is to change" in err) == (1, True)


def test_items_of_a_draft_are_replaced_and_its_tries_are_thrown_away(capsys, models, tmp_path):
    create(capsys, tmp_path / "oil", models, "--quiet")
    made = make_items("word_intrusion", {"nmf": read_model(models / "nmf")}, seed=5)
    made.save(tmp_path / "items.jsonl")
    tealeaves(capsys, "status", tmp_path / "oil")  # its database is there
    status, out, _ = tealeaves(capsys, "change", tmp_path / "oil", "--items", tmp_path / "items.jsonl")
    assert (status, made.digest in out) == (0, True)
    status, out, _ = tealeaves(capsys, "status", tmp_path / "oil", "--json")
    assert status == 0
    assert json.loads(out)[0]["items"] == len(made)


def test_a_rule_that_there_is_not_is_refused_by_create_and_freezes_nothing(capsys, models, tmp_path):
    (tmp_path / "s.toml").write_text("[rules]\nfoo = 1\n")
    status, _, err = create(capsys, tmp_path / "oil", models, "--settings", tmp_path / "s.toml")
    assert (status, "there is no rule 'foo'" in err) == (1, True)
    assert not (tmp_path / "oil").exists()
    create(capsys, tmp_path / "oil", models, "--quiet")
    path = tmp_path / "oil" / "study.json"
    about = json.loads(path.read_text("utf-8"))
    about["settings"]["rules"] = {"foo": 1}
    path.write_text(json.dumps(about), "utf-8")
    status, _, err = tealeaves(capsys, "status", tmp_path / "oil", "--move", "live")
    assert (status, "there is no rule 'foo'" in err) == (1, True)
    assert json.loads(path.read_text("utf-8"))["frozen"] is None


def test_options_of_items_beside_whole_items_are_refused(capsys, models, tmp_path):
    made = make_items("word_intrusion", {"nmf": read_model(models / "nmf")}, seed=5)
    made.save(tmp_path / "items.jsonl")
    (tmp_path / "s.toml").write_text("[items]\nnope = 1\n")
    status, _, err = tealeaves(
        capsys,
        "create",
        tmp_path / "s",
        "--items",
        tmp_path / "items.jsonl",
        "--settings",
        tmp_path / "s.toml",
    )
    assert (status, "nothing is made of nope (of items)" in err) == (1, True)


def test_serve_names_studies_of_one_title_apart_and_leaves_out_one_that_is_broken(
    capsys, tmp_path, monkeypatch
):
    for name in ("a", "b"):
        simulated.study(tmp_path / name, title="Word lists")[1].close()
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "study.json").write_text("{")
    told = {}
    monkeypatch.setattr("tealeaves.human.app.server.run", lambda *folders, **how: told.update(how))
    status, out, err = tealeaves(capsys, "serve", tmp_path, "--log")
    assert status == 0
    assert "Word lists (a, live), for raters" in out
    assert "Word lists (b, live), for raters" in out
    assert "not served:" in err
    assert (told["log"], told["url"]) == (True, None)
    assert tealeaves(capsys, "serve", tmp_path / "torn")[0] == 1
    for wrong in ("studies.example.org", "https://x.org/sub/", "https://a@x.org", "ftp://x.org"):
        status, _, err = tealeaves(capsys, "serve", tmp_path, "--url", wrong)
        assert (status, "--url is an address such as" in err) == (1, True)


def test_an_export_of_a_live_study_is_a_look_and_says_so_itself(capsys, tmp_path):
    made, store = simulated.study(tmp_path / "oil", people=simulated.crowd(4))
    store.close()
    tealeaves(capsys, "export", made.folder, "--out", tmp_path / "out", "--file", "methods.md")
    assert "have not been looked at so far" in (tmp_path / "out" / "methods.md").read_text("utf-8")
    tealeaves(capsys, "export", made.folder, "--out", tmp_path / "out")
    assert "answers were exported on" in (tmp_path / "out" / "methods.md").read_text("utf-8")
