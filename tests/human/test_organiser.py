"""The organiser's pages: who is let in, what they say, what they do, and that nothing slips out of them."""

import json
import re
import time

import pytest

pytest.importorskip("starlette")
pytest.importorskip("sqlalchemy")

from sqlalchemy import select
from starlette.testclient import TestClient

from human import simulated
from human.sets import extended
from tealeaves.human.app import organiser_answers, organiser_looks, organiser_progress, organiser_raters
from tealeaves.human.app import organiser_auth as auth
from tealeaves.human.app.organiser_data import load, opened
from tealeaves.human.app.organiser_results import is_open, results
from tealeaves.human.app.server import create_app
from tealeaves.human.app.tables import answers as answers_table
from tealeaves.human.app.tables import platform_ids, raters, sessions
from tealeaves.human.export import FILES
from tealeaves.human.study import Study

HOSTILE = '<img src=x onerror="alert(1)">&{{7*7}}'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A live study with a crowd, a pilot, and a draft with a hostile title and hostile words."""
    root = tmp_path_factory.mktemp("studies")
    for name, people, state, title, odd in (
        ("live", simulated.crowd(), "live", "Oil topics", ()),
        ("pilot", [simulated.Rater(), simulated.Rater(0.5)], "pilot", "A pilot", ()),
        ("draft", (), "draft", HOSTILE, (HOSTILE, "</script><script>alert(2)</script>")),
    ):
        made = simulated.study(
            root / name, simulated.word_items(odd=odd), people, state, title=title, payment="£2.00"
        )
        made[1].close()
    return root


@pytest.fixture
def site(folder):
    """A client that knows nothing, and the token."""
    token = auth.mint(sorted(folder.iterdir()))
    with TestClient(create_app([folder]), follow_redirects=False) as client:
        yield client, token


@pytest.fixture
def client(site):
    """A client that has signed in."""
    client, token = site
    client.post("/organiser/login", data={"token": token})
    return client


def csrf(client, path="/organiser/"):
    return re.search(r'name="csrf" value="([^"]+)"', client.get(path).text)[1]


def post(client, path, **form):
    return client.post(path, data={"csrf": csrf(client), **form})


@pytest.fixture
def own(tmp_path):
    """A small live study of one's own to change, signed in."""
    made, store = simulated.study(tmp_path / "s" / "mine", people=simulated.crowd(4), payment="£1")
    store.close()
    token = auth.mint([made.folder])
    with TestClient(create_app([tmp_path / "s"]), follow_redirects=False) as client:
        client.post("/organiser/login", data={"token": token})
        yield client, made


PATHS = (
    "",
    "new",
    "live/",
    "live/items",
    "live/rater/R-001",
    "live/export/answers.csv",
    "nothing/",
    "live/export/x",
)


@pytest.mark.parametrize("path", PATHS)
def test_without_signing_in_every_address_leads_to_the_same_form(site, path):
    client, _ = site
    reply = client.get(f"/organiser/{path}")
    assert (reply.status_code, reply.headers["location"]) == (303, "/organiser/login")
    assert reply.text == ""


def test_without_signing_in_no_form_does_anything(site, folder):
    client, _ = site
    for path in ("live/state", "live/rules", "live/results", "live/rater/R-001/erase", "new", "logout"):
        assert client.post(f"/organiser/{path}", data={"state": "closed", "sure": "yes"}).status_code == 303
    assert Study.open(folder / "live").state == "live"


def test_the_printed_link_lets_in_and_a_wrong_token_does_not(site):
    client, token = site
    assert client.get("/organiser/login", params={"token": token + "x"}).status_code == 403
    assert "set-cookie" not in client.post("/organiser/login", data={"token": ""}).headers
    reply = client.get("/organiser/login", params={"token": token})
    assert reply.status_code == 200
    assert "Oil topics" in client.get("/organiser/").text


def test_the_cookie_is_for_our_pages_only_and_never_the_token(site):
    client, token = site
    cookie = client.post("/organiser/login", data={"token": token}).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/organiser"} <= set(cookie.split("; "))
    assert token not in cookie


def test_over_https_the_cookie_is_secure(folder):
    token = auth.mint(sorted(folder.iterdir()))
    with TestClient(create_app([folder], behind_proxy=True), follow_redirects=False) as client:
        cookie = client.post("/organiser/login", data={"token": token}).headers["set-cookie"]
    assert "Secure" in cookie


def test_only_the_hash_of_the_token_is_kept_and_nobody_else_may_read_it(folder):
    token = auth.mint(sorted(folder.iterdir()))
    for path in folder.rglob("*"):
        if path.is_file():
            assert token.encode() not in path.read_bytes()
    assert (folder / "live" / "organiser.json").stat().st_mode & 0o077 == 0


def test_a_new_token_ends_every_session(client, folder):
    assert client.get("/organiser/").status_code == 200
    auth.mint(sorted(folder.iterdir()))
    assert client.get("/organiser/").status_code == 303


def test_a_copy_of_the_cookie_is_worth_nothing_after_signing_out(client):
    copy = client.cookies.get(auth.COOKIE)
    assert post(client, "/organiser/logout").headers["location"] == "/organiser/login"
    client.cookies.set(auth.COOKIE, copy, path="/organiser")
    assert client.get("/organiser/").status_code == 303


def test_a_forged_or_old_cookie_lets_nobody_in(folder):
    auth.mint(sorted(folder.iterdir()))
    study = Study.open(folder / "live")
    good = auth.cookie(study, now=1000.0)
    assert auth.session(study, good, now=1001.0) is not None
    assert auth.session(study, good, now=1000.0 + 3600 * auth.HOURS + 1) is None
    until, name, mark = good.split(".")
    later = f"{int(until) + 9999999}.{name}.{mark}"
    for forged in (None, "", "a.b.c", later, good[:-1], f"{good}.x", "1." + good):
        assert auth.session(study, forged, now=1001.0) is None


def test_a_form_without_our_mark_does_nothing(client, folder):
    for mark in ("", "0" * 64):
        reply = client.post("/organiser/live/state", data={"csrf": mark, "state": "closed", "sure": "yes"})
        assert reply.status_code == 403
    fetched = {"sec-fetch-site": "cross-site"}
    form = {"csrf": csrf(client), "state": "closed", "sure": "yes"}
    assert client.post("/organiser/live/state", data=form, headers=fetched).status_code == 403
    assert Study.open(folder / "live").state == "live"


@pytest.mark.parametrize(
    "path", ["", "new", "live/", "pilot/", "draft/", "live/items", "live/rater/R-001", "login"]
)
def test_no_page_has_script_or_style_in_it(client, path):
    reply = client.get(f"/organiser/{path}")
    assert reply.status_code == 200
    assert "unsafe" not in reply.headers["content-security-policy"]
    assert not re.search(
        r"\sstyle=|<style|\son[a-z]+=(?![^<]*&gt;)|javascript:", reply.text.replace("&#34;", "")
    )
    assert re.findall(r"<script[^>]*>", reply.text) == re.findall(r"<script src=[^>]* defer>", reply.text)


def test_hostile_titles_and_words_are_only_text(client):
    for path in ("", "draft/", "draft/items"):
        page = client.get(f"/organiser/{path}").text
        assert "<img" not in page
        assert "<script>alert" not in page
        assert "{{7*7}}" in page


def test_the_list_says_how_far_each_study_is(client, folder):
    page = client.get("/organiser/").text
    with opened(folder / "live") as (study, store):
        data = load(study, store, time.time())
    assert f"{sum(row['role'] == 'item' for row in data.latest)} of 312" in page
    assert "none yet" in page
    assert "in the pilot" in page


def test_the_page_of_a_study_says_what_is_in_the_database(client, folder):
    page = client.get("/organiser/live/").text
    with opened(folder / "live") as (study, store):
        data = load(study, store, time.time())
    answers = sum(row["role"] == "item" for row in data.latest)
    assert f"<dd>{answers}<small>of {24 * 13} ({answers / 312:.0%})</small>" in page
    assert "£30" in page  # fifteen finished, £2.00 each
    full = sum(data.counts[item.id] >= 13 for item in data.counting)
    assert page.count('<span class="n4">') == full + 1  # and one in the legend
    assert study.items.digest in page
    for step in ("Items made", "Frozen", "Live"):
        assert step in page


def test_raters_who_break_a_rule_come_first_and_are_named_with_the_rule(client):
    page = client.get("/organiser/live/").text
    rows = re.findall(r'<tr class="out"><th scope="row"><a [^>]*>(R-\d+)</a>.*?No: ([a-z, ]+)</td>', page)
    assert rows == [("R-005", "checks"), ("R-006", "time"), ("R-007", "position")]
    assert "Raters: 3 fall under the rules set before the start" in page


def test_what_the_rules_change_is_the_mean_without_the_raters_they_leave_out(folder):
    with opened(folder / "live") as (study, store):
        data = load(study, store, time.time())
    quality = organiser_answers.judged(data)
    out = {"R-005", "R-006", "R-007"}
    assert {one.rater for one in quality if one.excluded} == out
    by_item = {}
    for row in data.latest:
        if row["role"] == "item" and row["model"] == "lda" and row["rater"] not in out:
            by_item.setdefault(row["item"], []).append(row["correct"])
    wanted = sum(sum(one) / len(one) for one in by_item.values()) / len(by_item)
    assert organiser_raters.raters(data, quality)["change"] == []  # as long as results wait
    looks = [{"at": "2026-11-30T10:00:00Z", "show": True}]
    page = organiser_raters.raters(type(data)(**{**vars_of(data), "looks": looks}), quality)
    change = page["change"]
    assert (page["all"], page["kept"]) == (f"All {len(quality)} raters", "Without 3")
    assert next(row["after"] for row in change if row["name"] == "lda") == f"{wanted:.2f}"
    assert change[0]["before"] != change[0]["after"]


def test_results_are_hidden_until_they_are_opened_and_every_opening_is_kept(own):
    client, made = own
    page = client.get("/organiser/mine/").text
    assert "Results wait until the study is closed" in page
    assert "95% interval" not in page
    assert post(client, "/organiser/mine/results", show="yes").status_code == 303
    page = client.get("/organiser/mine/").text
    assert "95% interval" in page
    assert "Interim results." in page
    post(client, "/organiser/mine/results", show="no")
    assert "95% interval" not in client.get("/organiser/mine/").text
    with opened(made.folder) as (study, store):
        looks = load(study, store, time.time()).looks
    assert [one["show"] for one in looks] == [True, False]
    assert (
        "Results were looked at before the study was closed: on"
        in client.get("/organiser/mine/export/methods.md").text
    )


def test_results_of_a_closed_study_are_open_and_have_no_interim_note(own):
    client, made = own
    assert post(client, "/organiser/mine/state", state="closed").status_code == 422  # the box is not ticked
    assert post(client, "/organiser/mine/state", state="closed", sure="yes").status_code == 303
    page = client.get("/organiser/mine/").text
    assert "95% interval" in page
    assert "Interim" not in page
    assert 'name="state"' not in page
    assert Study.open(made.folder).state == "closed"


def test_the_results_are_those_of_the_scoring(folder):
    from tealeaves.human import score
    from tealeaves.human.answers import Answers

    with opened(folder / "live") as (study, store):
        data = load(study, store, time.time())
    quality = organiser_answers.judged(data)
    opened_data = type(data)(**{**vars_of(data), "looks": [{"at": "2026-11-30T10:00:00Z", "show": True}]})
    assert is_open(opened_data)
    assert not is_open(data)
    page = results(opened_data, quality)
    rows = [row for row in data.latest if row["rater"] not in ("R-005", "R-006", "R-007")]
    wanted = score(Answers.from_rows(rows, study.items), resamples=1000)
    [part] = page["parts"]
    for row in part["models"]:
        assert row["value"] == f"{wanted.value(model=row['name']):.2f}"
    assert len([dot for lane in part["plot"]["lanes"] for dot in lane["dots"]]) == 24
    assert part["worst"][0]["name"] in ("lda 5", "lda 11", "nmf 5", "nmf 11")


def vars_of(data):
    return {name: getattr(data, name) for name in data.__dataclass_fields__}


def test_states_go_on_and_never_back(tmp_path):
    made, store = simulated.study(tmp_path / "s" / "mine", state="draft")
    store.close()
    token = auth.mint([made.folder])
    with TestClient(create_app([tmp_path / "s"]), follow_redirects=False) as client:
        client.post("/organiser/login", data={"token": token})
        for state in ("pilot", "live", "paused", "live"):
            reply = post(client, "/organiser/mine/state", state=state)
            assert reply.headers["location"] == "/organiser/mine/?said=moved"
            assert Study.open(made.folder).state == state
        reply = post(client, "/organiser/mine/state", state="draft")
        assert reply.status_code == 422
        assert "a study that is live becomes paused or closed" in reply.text.lower()


def test_rules_can_be_set_until_they_are_frozen(tmp_path, own):
    made, store = simulated.study(tmp_path / "d" / "draft", state="draft")
    store.close()
    token = auth.mint([made.folder])
    with TestClient(create_app([tmp_path / "d"]), follow_redirects=False) as client:
        client.post("/organiser/login", data={"token": token})
        assert 'name="speed"' in client.get("/organiser/draft/").text
        post(client, "/organiser/draft/rules", checks="0.5", speed="0", position="0,6")
        assert Study.open(made.folder).settings.rules == {"checks": 0.5, "position": 0.6}
        assert post(client, "/organiser/draft/rules", checks="many").status_code == 422
        assert post(client, "/organiser/draft/rules", checks="7").status_code == 422
    live, study = own
    assert 'name="speed"' not in live.get("/organiser/mine/").text
    assert post(live, "/organiser/mine/rules", checks="0.1").status_code == 422
    assert Study.open(study.folder).settings.rules == simulated.RULES


def test_erasing_a_rater_leaves_nothing_that_links_to_a_person(own):
    client, made = own
    assert post(client, "/organiser/mine/rater/R-002/erase").status_code == 422  # the box is not ticked
    assert "person00000002" in client.get("/organiser/mine/export/platform-numbers.csv").text
    assert post(client, "/organiser/mine/rater/R-002/erase", sure="yes").status_code == 303
    with opened(made.folder) as (study, store):
        with store.reading() as connection:
            row = connection.execute(select(raters).where(raters.c.number == 2)).one()
            assert row.fingerprint is None
            for table in (platform_ids, sessions):
                assert not connection.execute(select(table).where(table.c.rater_id == row.id)).all()
        kept = [one for one in load(study, store, time.time()).answers if one["rater"] == "R-002"]
    assert kept
    assert "person00000002" not in client.get("/organiser/mine/export/platform-numbers.csv").text
    for path in made.folder.iterdir():  # nor is it in what SQLite keeps besides
        assert b"person00000002" not in path.read_bytes()


def test_erasing_the_answers_too_deletes_them_and_gives_their_places_back(own):
    client, made = own
    before = sum(one["rater"] == "R-003" for one in _answers(made))
    post(client, "/organiser/mine/rater/R-003/erase", sure="yes", answers="yes")
    assert before
    assert not [one for one in _answers(made) if one["rater"] == "R-003"]
    assert "the answers were deleted" in client.get("/organiser/mine/rater/R-003").text


def _answers(made):
    with opened(made.folder) as (study, store):
        return load(study, store, time.time()).answers


@pytest.mark.parametrize(
    "path",
    [
        "live/rater/R-999",
        "live/rater/1",
        "nothing/",
        "live/export/../study.json",
        "live/export/secret",
        "live/x",
    ],
)
def test_what_there_is_not_is_not_found(client, path):
    assert client.get(f"/organiser/{path}").status_code == 404


def test_every_file_can_be_downloaded_and_carries_no_platform_number(client):
    page = client.get("/organiser/live/").text
    names = re.findall(r'href="/organiser/live/export/([^"]+)"', page)
    assert names == [*FILES, "platform-numbers.csv"]
    for name in names:
        reply = client.get(f"/organiser/live/export/{name}")
        assert reply.status_code == 200
        assert reply.headers["content-disposition"] == f'attachment; filename="live-{name}"'
        assert (b"person0000" in reply.content) == (name == "platform-numbers.csv")


def test_the_items_page_shows_every_key_and_raters_pages_none(client, folder):
    study = Study.open(folder / "live")
    page = client.get("/organiser/live/items").text
    assert all(f'<span class="secret">{item.key}</span>' in page for item in study.items)
    assert "1 topic has no valid item (lda 12)" in client.get("/organiser/live/").text
    rater = TestClient(client.app).get("/s/live/").text
    assert "secret" not in rater
    assert not any(item.key in rater for item in study.items)


def test_a_favourite_place_stands_out_by_chance_not_by_a_share():
    from tealeaves.human.app.organiser_quality import by_chance

    assert by_chance(3, 5, 6) > 0.2
    assert by_chance(22, 22, 6) < 1e-12
    assert by_chance(0, 0, 6) == 1.0


def test_an_item_that_lags_behind_the_others_is_named(tmp_path):
    made, store = simulated.study(tmp_path / "x", people=[simulated.Rater()] * 13, items_per_rater=24)
    data = load(made, store, time.time())
    lost = data.counting[3].id
    with store.writing() as connection:
        from tealeaves.human.app.tables import assignments

        ids = [row.id for row in connection.execute(select(assignments).where(assignments.c.item == lost))][
            :8
        ]
        connection.execute(answers_table.delete().where(answers_table.c.assignment_id.in_(ids)))
    data = load(made, store, time.time())
    store.close()
    page = organiser_progress.progress(data, organiser_answers.judged(data))
    assert page["look"][0]["title"].startswith("1 item is behind")
    assert page["strips"][0]["cells"].count(1) == 1
    assert (1, "behind the others") in page["legend"]


def test_a_further_study_is_previewed_made_and_served(tmp_path, monkeypatch):
    import numpy as np

    from tealeaves import TopicModel
    from tealeaves.human.app.organiser_new import MODELS

    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(300)]
    TopicModel(words, topic_word=rng.dirichlet(np.full(300, 0.05), 8)).save(tmp_path / "models" / "lda")
    monkeypatch.setenv(MODELS, str(tmp_path / "models"))
    made, store = simulated.study(tmp_path / "s" / "first", state="draft")
    store.close()
    token = auth.mint([made.folder])
    form = {"title": "Second study", "task": "word_intrusion", "model": "lda", "payment": "£3", "seed": "4"}
    with TestClient(create_app([tmp_path / "s"]), follow_redirects=False) as client:
        client.post("/organiser/login", data={"token": token})
        assert "../" not in client.get("/organiser/new").text
        page = post(client, "/organiser/new", step="preview", **form).text
        assert "as raters will see them" in page
        assert "Cost: about £24 (8 × £3), which is £" in page
        assert "not in it: a platform’s fee, £15 for a pilot of 5, and raters who are left out" in page
        assert not (tmp_path / "s" / "second-study").exists()
        reply = post(client, "/organiser/new", step="create", **form)
        assert reply.headers["location"] == "/organiser/second-study/?said=made"
        assert client.get("/organiser/second-study/").status_code == 200
        assert client.get("/s/second-study/").status_code == 200
        asks = {
            "screening": "Do you read English?\n+Yes\n-No",
            "words": "document = story",
            "more": "One.\n\nTwo.",
        }
        post(client, "/organiser/new", step="create", **{**form, "title": "Third", **asks})
        third = Study.open(tmp_path / "s" / "third").settings
        assert third.screening[0]["accept"] == [0]
        assert (third.words, third.more) == ({"document": "story"}, ("One.", "Two."))
        curated = {"title": "Themes", "task": "reference_topic_curation", "model": "lda"}
        page = post(client, "/organiser/new", step="preview", **curated).text
        assert "8 topics to look through, as curators will see them" in page
        post(client, "/organiser/new", step="create", **curated)
        assert Study.open(tmp_path / "s" / "themes").settings.items_per_rater == 8
        assert client.get("/organiser/themes/").status_code == 200
        for asked in ({"screening": "Do you read?"}, {"words": "document"}, {"words": "no.such = x"}):
            assert post(client, "/organiser/new", step="create", **{**form, **asked}).status_code == 422
        for wrong in (
            {"model": "../s/first"},
            {"model": "no"},
            {"title": ""},
            {"task": "none"},
            {"corpus": "x"},
        ):
            reply = post(client, "/organiser/new", step="create", **{**form, **wrong})
            assert reply.status_code == 422
    assert Study.open(tmp_path / "s" / "second-study").items.seed == 4


def test_a_study_without_answers_has_every_page(client):
    page = client.get("/organiser/draft/").text
    assert "A draft: nothing is counted yet" in page
    assert "Nobody has started yet." in page
    assert json.loads(client.get("/organiser/draft/export/design.json").text)["state"] == "draft"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of one study, ``middle``, and a model to make further ones of; signed in; the token."""
    import numpy as np

    from tealeaves import TopicModel
    from tealeaves.human.app.organiser_new import MODELS

    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(300)]
    TopicModel(words, topic_word=rng.dirichlet(np.full(300, 0.05), 8)).save(tmp_path / "models" / "lda")
    monkeypatch.setenv(MODELS, str(tmp_path / "models"))
    simulated.study(tmp_path / "s" / "middle", people=simulated.crowd(2))[1].close()
    token = auth.mint([tmp_path / "s" / "middle"])
    with TestClient(create_app([tmp_path / "s"]), follow_redirects=False) as client:
        client.post("/organiser/login", data={"token": token})
        yield client, tmp_path / "s", token


NEW = {"task": "word_intrusion", "model": "lda", "payment": "£3", "seed": "4"}


@pytest.mark.parametrize("title", ["AAA first", "zzz last"])
def test_the_organiser_stays_in_whatever_a_further_study_is_called(home, title):
    client, _, token = home
    made = post(client, "/organiser/new", step="create", title=title, **NEW)
    assert client.get(made.headers["location"]).status_code == 200
    assert post(client, "/organiser/logout").headers["location"] == "/organiser/login"
    assert client.get("/organiser/").status_code == 303
    client.post("/organiser/login", data={"token": token})
    assert client.get("/organiser/").status_code == 200
    made = post(client, "/organiser/new", step="create", title="AAA before that", **NEW)
    assert client.get(made.headers["location"]).status_code == 200


def test_a_study_that_the_command_line_puts_into_the_folder_is_there_and_locks_nobody_out(home):
    client, folder, token = home
    simulated.study(folder / "aaa", people=simulated.crowd(2))[1].close()
    assert client.get("/organiser/aaa/").status_code == 200
    with TestClient(client.app, follow_redirects=False) as other:
        other.post("/organiser/login", data={"token": token})
        assert other.get("/organiser/aaa/").status_code == 200
        copy = other.cookies.get(auth.COOKIE)
        post(other, "/organiser/logout")
        other.cookies.set(auth.COOKIE, copy, path="/organiser")
        assert other.get("/organiser/").status_code == 303


def test_a_study_with_a_former_token_does_not_end_the_sessions_of_the_others(home):
    client, folder, _ = home
    simulated.study(folder / "aaa")[1].close()
    auth.mint([folder / "aaa"])
    assert client.get("/organiser/").status_code == 200


def spoiled(folder, how):
    """Make another study unreadable; what must be said of it."""
    other = folder / "pear"
    if how == "torn":
        other.mkdir()
        (other / "study.json").write_text('{"format"')
        return "cannot be read as a study"
    simulated.study(other, people=simulated.crowd(2))[1].close()
    if how == "edited":
        about = json.loads((other / "study.json").read_text("utf-8"))
        about["settings"]["payment"] = "£30"
        (other / "study.json").write_text(json.dumps(about), "utf-8")
        return "settings were changed after they were frozen"
    (other / "items.jsonl").write_text("{}\n")
    return "items.jsonl"


@pytest.mark.parametrize("how", ["torn", "edited", "items"])
@pytest.mark.parametrize("when", ["at the start", "while it is served"])
def test_one_bad_study_is_named_with_its_reason_and_the_others_are_served(home, how, when):
    client, folder, _ = home
    said = spoiled(folder, how)
    if when == "at the start":
        cookie = client.cookies.get(auth.COOKIE)
        client = TestClient(create_app([folder]), follow_redirects=False)
        client.cookies.set(auth.COOKIE, cookie, path="/organiser")
    page = client.get("/organiser/")
    assert page.status_code == 200
    assert said in page.text
    assert "pear" in page.text
    assert str(folder) not in page.text  # where the studies are is nobody's business
    assert client.get("/organiser/middle/").status_code == 200
    assert client.get("/s/middle/").status_code == 200
    assert client.get("/").status_code in (200, 303)
    assert client.get("/s/pear/").status_code == 503
    assert "wrong on our side" in client.get("/s/pear/").text
    assert client.get("/s/unknown/").status_code == 404
    assert client.get("/organiser/pear/").status_code == 422


def test_a_study_that_is_mended_is_served_again_and_one_that_is_taken_away_is_forgotten(home, tmp_path):
    client, folder, _ = home
    simulated.study(folder / "pear", people=simulated.crowd(2))[1].close()
    assert client.get("/s/pear/").status_code == 200
    text = (folder / "pear" / "study.json").read_text("utf-8")
    (folder / "pear" / "study.json").write_text("{")
    assert client.get("/s/pear/").status_code == 503
    (folder / "pear" / "study.json").write_text(text, "utf-8")
    assert client.get("/s/pear/").status_code == 200
    (folder / "pear").rename(tmp_path / "away")
    assert client.get("/s/pear/").status_code == 404
    assert client.get("/organiser/").status_code == 200
    assert client.get("/organiser/pear/").status_code == 404
    assert client.get("/").status_code == 303
    (tmp_path / "away").rename(folder / "pear")
    assert client.get("/s/pear/").status_code == 200


@pytest.mark.parametrize(
    "path", ["middle/items?page=²", "?said=moved", "?said=nonsense", "new?said=moved", "middle/items?page=-1"]
)
def test_no_address_of_the_organiser_is_an_error_of_the_server(home, path):
    assert home[0].get(f"/organiser/{path}").status_code == 200


def test_what_the_rules_do_to_the_scores_waits_with_the_results(home):
    client, folder, _ = home
    simulated.study(folder / "oil", people=simulated.crowd(), payment="£1")[1].close()
    part = re.search(r"What the rules change</h3>.*?</section>", client.get("/organiser/oil/").text, re.S)[0]
    assert not re.search(r"\d\.\d\d", part)
    assert re.search(r"They leave out \d+ answers of 3 raters", part)
    post(client, "/organiser/oil/results", show="yes")
    part = re.search(r"What the rules change</h3>.*?</section>", client.get("/organiser/oil/").text, re.S)[0]
    assert len(re.findall(r"\d\.\d\d", part)) == 4


def test_a_rater_s_page_says_what_was_right_of_checks_only_until_results_are_open(home):
    client = home[0]

    def right(page):
        rows = re.findall(
            r"<tr><th scope=\"row\">\w+</th><td>(\w+)</td><td[^>]*>.*?</td><td>(.*?)</td>", page.text
        )
        return {role: {said for r, said in rows if r == role} for role in ("item", "check")}

    hidden = right(client.get("/organiser/middle/rater/R-001"))
    assert hidden["item"] == {"—"}
    assert hidden["check"] <= {"yes", "no"}
    post(client, "/organiser/middle/results", show="yes")
    assert right(client.get("/organiser/middle/rater/R-001"))["item"] <= {"yes", "no"}


def test_answers_that_are_exported_before_the_end_are_a_look(home):
    client, _, _ = home
    text = client.get("/organiser/middle/export/methods.md").text
    assert "Results have not been looked at so far; the study is not closed." in text
    client.get("/organiser/middle/export/raters.csv")
    assert "so far" in client.get("/organiser/middle/export/methods.md").text
    client.get("/organiser/middle/export/answers.csv")
    text = client.get("/organiser/middle/export/methods.md").text
    assert re.search(
        r"Results were looked at before the study was closed: answers were exported on [^.]+\.", text
    )
    assert "Results wait until the study is closed" in client.get("/organiser/middle/").text
    opened_at = json.loads(client.get("/organiser/middle/export/design.json").text)["results_opened"]
    assert [one["how"] for one in opened_at] == ["exported"]
    post(client, "/organiser/middle/state", state="closed", sure="yes")
    client.get("/organiser/middle/export/answers.csv")
    assert len(json.loads(client.get("/organiser/middle/export/design.json").text)["results_opened"]) == 1


def test_methods_of_a_closed_study_say_that_nobody_looked_only_if_nobody_did(home):
    client, _, _ = home
    post(client, "/organiser/middle/state", state="closed", sure="yes")
    text = client.get("/organiser/middle/export/methods.md").text
    assert "Results were not looked at before the study was closed." in text


def test_a_study_of_which_no_rater_counts_does_not_say_that_all_is_in(tmp_path):
    bad = [simulated.Rater(0.2, checks=0.0)] * 6
    made, store = simulated.study(tmp_path / "x", people=bad, answers_per_item=3, items_per_rater=24)
    data = load(made, store, time.time())
    store.close()
    quality = organiser_answers.judged(data)
    page = organiser_progress.progress(data, quality)
    answers = sum(row["role"] == "item" for row in data.latest)
    assert page["heading"] == f"{answers} answers are in, and none counts: the rules leave out every rater"
    assert any("lda" in one["text"] and "36 lacking" in one["text"] for one in page["look"])
    assert (
        organiser_answers.alpha(data, organiser_answers.kept(data, quality))[1]
        == "none: every rater is left out by the rules"
    )
    # These failed for being bad raters: no check item is to blame.
    assert not [one for one in page["look"] if "bad item" in one["text"]]


@pytest.mark.parametrize(
    ("rules", "why"), [({}, "There are no rules"), ({"known": 0.1}, "No rule is broken")]
)
def test_a_rater_who_fails_the_checks_and_breaks_no_rule_needs_a_look(tmp_path, rules, why):
    people = [simulated.Rater(0.2, checks=0.0), *[simulated.Rater()] * 3]
    made, store = simulated.study(tmp_path / "x", people=people, rules=rules)
    data = load(made, store, time.time())
    store.close()
    page = organiser_progress.progress(data, organiser_answers.judged(data))
    [look] = [one for one in page["look"] if one["title"].startswith("R-001")]
    assert look["title"] == "R-001 got 0 of 4 checks right"
    assert (look["text"], look["ok"]) == (f"{why}, so the answers count.", False)
    assert "need" in page["heading"]  # and not that all is well


def test_who_has_no_items_yet_is_not_at_work(tmp_path):
    from tealeaves.human.app import flow

    made, store = simulated.study(
        tmp_path / "x", simulated.word_items(checks=0), answers_per_item=1, rules={}
    )
    for _ in range(3):  # who comes third finds that others have all the places
        flow.consent(made, store, None, "keep")
    data = load(made, store, time.time())
    store.close()
    quality = organiser_answers.judged(data)
    assert [row["state"] for row in data.people] == ["working", "working", "waiting"]
    assert "2 at work" in organiser_progress.progress(data, quality)["facts"][1]["note"]
    table = organiser_raters.raters(data, quality)
    assert [row["name"] for row in table["rows"]] == ["R-001", "R-002"]
    assert table["silent"] == "Besides, 1 came and gave no answer: 1 without items yet."


def test_how_raters_agree_is_said_while_they_work(client, folder):
    with opened(folder / "live") as (made, store):
        data = load(made, store, time.time())
    value, said = organiser_answers.alpha(data, organiser_answers.kept(data, organiser_answers.judged(data)))
    assert re.fullmatch(r"α 0\.\d\d, right/wrong", said)
    assert 0 < value < 1
    assert f"Agreement of those who count: {said}." in client.get("/organiser/live/").text


def test_no_cell_of_the_list_of_studies_is_empty(tmp_path):
    simulated.study(tmp_path / "new", state="draft")[1].close()
    simulated.study(tmp_path / "curated", extended("reference_topic_curation"), state="live")[1].close()
    simulated.study(tmp_path / "gone", people=[simulated.Rater(share=0.1, leaves="withdrew")])[1].close()
    token = auth.mint(sorted(tmp_path.iterdir()))
    with TestClient(create_app([tmp_path])) as client:
        client.post("/organiser/login", data={"token": token})
        page = client.get("/organiser/").text
    cells = [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<td[^>]*>(.*?)</td>", page, re.S)]
    assert len(cells) == 18
    assert all(cells)
    assert {"none yet", "1 gone", "— (no answers)", "— (of two curators, on its page)"} <= set(cells)


def test_topics_without_an_item_are_one_sentence_for_each_rule_that_left_them_none():
    from tealeaves.human.app.organiser_preview import without
    from tealeaves.human.item_sets import ItemSet

    why = "no intruder, since {} in the topic's lower half"
    lacking = [
        ("lda", 2, why.format("none of the 44 candidates is")),
        ("lda", 14, why.format("none of the 3 candidates is")),
        ("lda", 15, why.format("the one candidate is not")),
        ("nmf", 3, "no intruder, since no word is in another topic's first 10"),
    ]
    assert without(ItemSet("word_intrusion", [], without=lacking)) == [
        "3 topics have no valid item (lda 2, lda 14, lda 15): " + why.format("no candidate is"),
        "1 topic has no valid item (nmf 3): no intruder, since no word is in another topic's first 10",
    ]


def test_a_check_that_good_raters_fail_is_named(tmp_path):
    made, store = simulated.study(
        tmp_path / "x", people=[simulated.Rater(0.9, checks=1.0)] * 5, items_per_rater=24
    )
    data = load(made, store, time.time())
    store.close()
    check = next(item for item in made.items if item.role == "check")
    for row in data.latest:
        if row["item"] == check.id:
            row["correct"] = False
            row["value"] = {"choice": next(word for word in check.options if word != check.key)}
    assert organiser_looks.failed_checks(data, organiser_answers.judged(data))[0] == (check.id, 5, 5)
    look = organiser_progress.progress(data, organiser_answers.judged(data))["look"]
    assert look[0]["title"] == f"Check item {check.id} is failed by 5 of 5"


def test_studies_of_one_title_have_other_links_and_tabs(home):
    client, folder, _ = home
    for name in ("one", "two"):
        simulated.study(folder / name, title="Word lists")[1].close()
    page = client.get("/organiser/").text
    links = re.findall(r'<a href="/organiser/(?:one|two)/">(.*?)</a>', page, re.S)
    assert len({re.sub(r"<[^>]+>|\s+", " ", link).strip() for link in links}) == 2
    titles = {
        re.search("<title>(.*?)</title>", client.get(f"/organiser/{name}/").text)[1]
        for name in ("one", "two")
    }
    assert len(titles) == 2


def test_the_address_raters_get_is_that_of_url_and_never_what_a_header_says(tmp_path):
    simulated.study(tmp_path / "oil", people=simulated.crowd(2))[1].close()
    token = auth.mint([tmp_path / "oil"])
    evil = {"Host": "evil.example"}
    for url, wanted in ((None, "http://testserver"), ("https://studies.example.org", None)):
        with TestClient(create_app([tmp_path / "oil"], url=url), follow_redirects=False) as client:
            client.post("/organiser/login", data={"token": token})
            for headers in ({}, evil):
                page = client.get("/organiser/oil/", headers=headers).text
                assert f"{wanted or url}/s/oil/" in page
                assert "evil" not in page


def test_settings_of_a_draft_are_changed_on_its_page_and_those_of_a_frozen_study_are_not(home):
    client, folder, _ = home
    simulated.study(folder / "draft", state="draft")[1].close()
    page = client.get("/organiser/draft/").text
    form = {
        "title": "Which word?", "host": "A group", "contact": "a@example.org", "minutes": "12",
        "payment": "£2.50", "platform": "prolific", "answers_per_item": "9", "items_per_rater": "12",
        "fewest_items": "4", "pilot_raters": "3", "max_raters": "", "checks": "2", "language": "de",
        "words_language": "en", "quiz": "yes", "break_every": "10", "code_completed": "DONE123",
    }  # fmt: skip
    for name in form:
        assert f'name="{name}"' in page
    assert (
        post(client, "/organiser/draft/settings", **form)
        .headers["location"]
        .endswith("said=settings#settings")
    )
    made = Study.open(folder / "draft").settings
    assert (made.title, made.contact, made.platform, made.answers_per_item) == (
        "Which word?", "a@example.org", "prolific", 9,
    )  # fmt: skip
    assert (made.max_raters, made.checks, made.language, made.quiz) == (None, 2, "de", True)
    assert made.codes["completed"] == "DONE123"
    assert len(set(made.codes.values())) == 5
    assert made.rules == simulated.RULES
    for wrong in ({"answers_per_item": "many"}, {"language": "xx"}, {"code_completed": "a b"}, {"title": ""}):
        assert post(client, "/organiser/draft/settings", **{**form, **wrong}).status_code == 422
    assert Study.open(folder / "draft").settings == made
    assert 'name="contact"' not in client.get("/organiser/middle/").text
    assert post(client, "/organiser/middle/settings", **form).status_code == 422


def test_a_new_study_has_a_contact_a_time_and_a_platform(home):
    client, folder, _ = home
    more = {"contact": "a@example.org", "minutes": "8", "platform": "prolific", "language": "en"}
    made = post(client, "/organiser/new", step="create", title="Oil", **NEW, **more)
    assert made.status_code == 303
    settings = Study.open(folder / "oil").settings
    assert (settings.contact, settings.minutes, settings.platform) == ("a@example.org", "8", "prolific")
    assert settings.rules["speed"]  # those that suit its length, as the command line sets them
    assert not settings.replace_excluded


def test_a_new_study_gives_places_out_again_by_rules_that_judge_one_rater_alone(home):
    client, folder, _ = home
    form = {"step": "create", "title": "Oil", "replace_excluded": "yes", **NEW}
    assert post(client, "/organiser/new", **form).status_code == 303
    settings = Study.open(folder / "oil").settings
    assert settings.replace_excluded
    assert settings.rules
    assert "speed" not in settings.rules
    page = post(client, "/organiser/new", **{**form, "step": "preview"}).text
    assert re.search(r'name="replace_excluded" value="yes" checked', page)


def test_a_preview_of_a_document_without_a_title_begins_with_the_document():
    from tealeaves.human.app.organiser_preview import preview
    from tealeaves.human.item_sets import Item, ItemSet

    def shown(title):
        item = Item("i1", "topic_intrusion", "m", 0, options=("a", "b"), key="b",
                    shown={"title": title, "text": "Oil rose."})  # fmt: skip
        return preview(ItemSet("topic_intrusion", [item]))["rows"][0]["lines"][0]["text"]

    assert (shown(""), shown("Oil"), shown("Oil?")) == ("Oil rose.", "Oil. Oil rose.", "Oil? Oil rose.")


def test_what_a_rater_told_is_shown_as_text_until_it_is_erased(own):
    from tealeaves.human.app import flow
    from tealeaves.human.app.store import Store

    client, made = own
    store = Store.open(made)
    with store.reading() as connection:
        key = connection.execute(select(raters.c.id).where(raters.c.number == 1)).scalar()
    flow.remark(made, store, key, "<b>my name</b> is Bob")
    store.close()
    for path in ("/organiser/mine/", "/organiser/mine/rater/R-001"):
        page = client.get(path).text
        assert "&lt;b&gt;my name&lt;/b&gt; is Bob" in page
        assert "<b>my name" not in page
    post(client, "/organiser/mine/rater/R-001/erase", sure="yes")
    assert "is Bob" not in client.get("/organiser/mine/").text
    assert b"is Bob" not in b"".join(path.read_bytes() for path in made.folder.glob("study.db*"))


def test_the_platform_s_numbers_are_deleted_once_the_study_is_closed(own):
    client, made = own
    assert post(client, "/organiser/mine/forget", sure="yes").status_code == 422
    assert "/organiser/mine/forget" not in client.get("/organiser/mine/").text
    post(client, "/organiser/mine/state", state="closed", sure="yes")
    assert "delete the 9 numbers of the platform" in client.get("/organiser/mine/").text
    assert post(client, "/organiser/mine/forget").status_code == 422
    assert post(client, "/organiser/mine/forget", sure="yes").headers["location"].endswith("#export")
    assert client.get("/organiser/mine/export/platform-numbers.csv").text.count("\n") == 1
    assert "/organiser/mine/forget" not in client.get("/organiser/mine/").text
    assert b"person0000" not in b"".join(path.read_bytes() for path in made.folder.glob("study.db*"))


def test_the_rule_of_places_is_proposed_only_where_it_can_be_applied_and_says_from_when():
    from tealeaves.human.app.organiser_quality import defaults, sentences, usual_rules
    from tealeaves.human.serving import lengths
    from tealeaves.human.study import Settings

    items = simulated.word_items()
    few, many = Settings(items_per_rater=8), Settings(items_per_rater=20)
    assert max(lengths(items, few)) < 10
    assert "position" not in usual_rules(items, few)
    shortest = min(n for n in lengths(items, many) if n >= 10)
    assert usual_rules(items, many)["position"] == defaults(shortest, 6)["position"]
    assert sentences({"position": 0.5}) == [
        "one place on the page in more than 50% of the answers, from 10 answers on"
    ]
