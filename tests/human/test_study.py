"""The folder of a study: made, opened, frozen, moved on, and refused when somebody changed it."""

import json
import signal
import stat
import subprocess
import sys
import threading

import pytest

from study_client import new_study, word_items
from tealeaves.errors import FormatError, InputError
from tealeaves.human.item_sets import TASKS
from tealeaves.human.items import Item, ItemSet
from tealeaves.human.study import NEXT, STATES, Settings, Study


def test_what_was_made_is_what_is_opened(tmp_path):
    items = word_items(3)
    made = Study.create(
        tmp_path / "My Study!", items, title="Words", more=("One.", "Two."), rules={"checks": 0.75}
    )
    opened = Study.open(tmp_path / "My Study!")
    assert opened.name == "my-study"
    assert opened.settings == made.settings
    assert opened.settings.more == ("One.", "Two.")
    assert opened.items == items
    assert opened.settings_digest == made.settings_digest
    assert opened.state == "draft"


def test_each_end_has_a_code_of_its_own_and_two_studies_have_other_secrets(tmp_path):
    one = Study.create(tmp_path / "one", word_items(), codes={"completed": "C1AB23"})
    two = Study.create(tmp_path / "two", word_items())
    assert one.settings.codes["completed"] == "C1AB23"
    assert len(set(one.settings.codes.values())) == 5
    assert set(one.settings.codes) == set(two.settings.codes)
    assert one.secret != two.secret
    assert stat.S_IMODE((one.folder / "secret").stat().st_mode) == 0o600


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_study_without_a_title_is_called_by_its_task_in_its_language_and_tells_nothing(tmp_path, language):
    titles = {}
    for task in TASKS:
        one = Item("i0001", task, "lda", 0, options=("oil", "gas", "tax"), key="tax")
        made = Study.create(tmp_path / task, ItemSet(task, [one]), language=language)
        titles[task] = made.settings.title
    assert len(set(titles.values())) == len(TASKS) == 10
    assert max(map(len, titles.values())) <= 35
    told = " ".join(titles.values()).lower()
    assert not [
        word for word in ("model", "quality", "qualität", "coheren", "kohären", "test") if word in told
    ]
    assert (
        titles["word_intrusion"]
        == {
            "en": "Which word does not belong?",
            "de": "Welches Wort passt nicht dazu?",
        }[language]
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"quota": 3}, "there is no setting 'quota'; there are answers_per_item"),
        ({"answers_per_item": 0}, "answers_per_item must be a whole number from 1 on; got 0"),
        ({"answers_per_item": 2.5}, "answers_per_item must be a whole number"),
        ({"answers_per_item": True}, "answers_per_item must be a whole number"),
        ({"lease_minutes": "ten"}, "lease_minutes must be a number"),
        ({"platform": "oolong"}, "platform must be one of prolific, mturk or None; got 'oolong'"),
        ({"codes": {"done": "X12"}}, "there is no 'done'"),
        ({"codes": {"completed": "ABC", "full": "ABC"}}, "two ends have the same completion code"),
        ({"codes": {"completed": "a b"}}, "a completion code is 3 to 40 letters"),
        ({"return_link": "javascript:alert(1)"}, "return_link must begin with https://"),
        ({"screening": [{"question": "Age?", "options": ["a"], "accept": [0]}]}, "two or more options"),
        ({"screening": [{"question": "Age?", "options": ["a", "b"], "accept": [2]}]}, "which options let in"),
        ({"title": 3}, "title must be a text"),
        ({"rules": {"x": float("nan")}}, "settings are made of JSON"),
        ({"screening": 5}, "not what was wanted"),
    ],
)
def test_a_setting_that_is_not_what_was_wanted_is_refused_and_no_folder_is_made(tmp_path, settings, said):
    with pytest.raises(InputError, match=said):
        Study.create(tmp_path / "study", word_items(), **settings)
    assert not (tmp_path / "study").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="is there already: name another folder"):
        Study.create(tmp_path / "there", word_items())
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["thesis.txt"]


def test_a_set_in_which_no_item_counts_is_refused(tmp_path):
    with pytest.raises(InputError, match="no item of the set counts, of 2 there are"):
        Study.create(tmp_path / "study", word_items(0, checks=2))
    with pytest.raises(InputError, match="no item of the set counts"):
        Study.create(tmp_path / "study", ItemSet("word_intrusion", []))


@pytest.mark.parametrize(("here", "there"), [(a, b) for a in STATES for b in STATES])
def test_states_follow_each_other_and_no_way_leads_back(tmp_path, here, there):
    ways = {
        "draft": [],
        "pilot": ["pilot"],
        "live": ["live"],
        "paused": ["live", "paused"],
        "closed": ["live", "closed"],
    }
    study = new_study(tmp_path, state="draft")
    for state in ways[here]:
        study = study.move(state)
    allowed = {"paused": ("live", "closed")}.get(here, NEXT[here])
    if there in allowed:
        assert study.move(there).state == there
    else:
        with pytest.raises(InputError, match=f"a study that is {here} becomes"):
            study.move(there)


def test_a_paused_pilot_goes_on_as_a_pilot_or_goes_live(tmp_path):
    study = new_study(tmp_path, state="pilot").move("paused")
    assert study.phase == "pilot"
    assert study.move("pilot").move("paused").move("live").phase == "live"


def test_what_goes_live_is_frozen(tmp_path):
    study = new_study(tmp_path, state="pilot")
    assert study.frozen is None
    changed = study.change(answers_per_item=9)
    assert changed.settings.answers_per_item == 9
    assert changed.settings.codes == study.settings.codes
    assert len(changed.replace_items(word_items(4)).items) == 4
    live = changed.move("live")
    assert live.frozen["digest"] == live.settings_digest
    for change in (lambda: live.change(title="Other"), lambda: live.replace_items(word_items(5))):
        with pytest.raises(InputError, match="the study was frozen at"):
            change()


def test_settings_or_items_changed_by_hand_after_that_are_refused(tmp_path):
    study = new_study(tmp_path)
    path = study.folder / "study.json"
    about = json.loads(path.read_text())
    about["settings"]["rules"] = {"checks": 0.1}
    path.write_text(json.dumps(about))
    with pytest.raises(FormatError, match="settings were changed after they were frozen"):
        Study.open(study.folder)
    about["settings"]["rules"] = {}
    path.write_text(json.dumps(about))
    word_items(9).save(study.folder / "items.jsonl")
    with pytest.raises(FormatError, match=r"items\.jsonl: holds other items than the study was made with"):
        _ = Study.open(study.folder).items


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "cannot be read as a study"),
        (b"[]", "cannot be read as a study"),
        (b'{"format": "other"}', "its format is 'other'"),
        (b'{"format": "tealeaves study", "version": 7}', "is of version 7, but this release reads 1"),
        (b'{"format": "tealeaves study", "version": 1}', "cannot be read as a study"),
    ],
)
def test_a_file_that_is_no_study_is_refused(tmp_path, content, said):
    (tmp_path / "study.json").write_bytes(content)
    with pytest.raises(FormatError, match=said):
        Study.open(tmp_path)


def test_a_folder_without_a_study_is_refused(tmp_path):
    with pytest.raises(FormatError, match=r"is no study: a folder with study\.json was expected"):
        Study.open(tmp_path)


def test_two_who_change_a_study_at_once_do_not_undo_each_other(tmp_path):
    study = new_study(tmp_path, state="draft")
    refused = []

    def change(n):
        try:
            study.change(answers_per_item=n)
        except InputError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=change, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    changes = [entry for entry in study.again().about["history"] if "changed" in entry]
    assert len(changes) + len(refused) == 8
    assert all("somebody else changes the study now" in said for said in refused)
    assert not (study.folder / "study.json.lock").exists()


def test_the_link_back_is_the_platform_s_with_the_code_in_it():
    assert Settings(platform="prolific").link("C1") == "https://app.prolific.com/submissions/complete?cc=C1"
    assert Settings(return_link="https://x.org/{code}/done").link("C1") == "https://x.org/C1/done"
    assert Settings().link("C1") is None


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rules": {"foo": 1}}, "there is no rule 'foo'; there are checks, seconds"),
        ({"rules": {"checks": 7}}, "checks is a share, from 0 to 1; got 7"),
        ({"rules": {"checks": "most"}}, "checks must be a number; got 'most'"),
        ({"rules": {"checks": True}}, "checks must be a number; got True"),
        ({"language": "xx"}, "texts are there in de, en, but the study's language is 'xx'"),
        ({"words": {"nonsense": "x"}}, "no such sentence"),
        ({"words": {"document": "{unknown}"}}, "which nothing fills in"),
        ({"words": {"document": 3}}, "not what was wanted"),
    ],
)
def test_what_would_break_a_study_once_it_is_frozen_is_refused_before(tmp_path, settings, said):
    with pytest.raises(InputError, match=said):
        Study.create(tmp_path / "study", word_items(), **settings)
    assert not (tmp_path / "study").exists()
    study = Study.create(tmp_path / "study", word_items())
    with pytest.raises(InputError, match=said):
        study.change(**settings)
    # written by hand it is found before anything is frozen
    about = json.loads((study.folder / "study.json").read_text("utf-8"))
    about["settings"].update(settings)
    (study.folder / "study.json").write_text(json.dumps(about), "utf-8")
    with pytest.raises(FormatError, match=said):
        study.move("live")
    assert json.loads((study.folder / "study.json").read_text("utf-8"))["frozen"] is None


def test_the_folder_of_a_study_is_the_organiser_s_alone(tmp_path):
    study = Study.create(tmp_path / "new", word_items())
    assert stat.S_IMODE(study.folder.stat().st_mode) == 0o700
    (tmp_path / "empty").mkdir(mode=0o755)
    study = Study.create(tmp_path / "empty", word_items())
    assert stat.S_IMODE(study.folder.stat().st_mode) == 0o700


def test_the_lock_of_a_process_that_was_killed_stops_nobody(tmp_path):
    study = Study.create(tmp_path / "study", word_items())
    held = subprocess.run(
        [sys.executable, "-c", HOLDS, str(study.folder)], check=False, stdout=subprocess.PIPE, text=True
    )
    assert (held.returncode, held.stdout) == (-signal.SIGKILL, "held\n")
    (study.folder / "study.json.lock").touch()  # such as earlier releases left behind
    assert study.move("live").state == "live"


HOLDS = """
import os, signal, sys
from tealeaves.human.study import Study
with Study.open(sys.argv[1])._changing():
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
