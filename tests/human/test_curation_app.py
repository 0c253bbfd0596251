"""The workspace of curators, without a script: forms, saved steps, second readers, and what is refused."""

import json
import re
from html.parser import HTMLParser

import pytest

pytest.importorskip("starlette")
pytest.importorskip("sqlalchemy")

import httpx
from sqlalchemy import select
from starlette.testclient import TestClient

import tealeaves as tl
from human.test_curation import ITEMS, TEXTS, item
from study_client import Rater
from study_load import Server
from tealeaves.cli import run
from tealeaves.human.app import curation_log, organiser_auth, tables
from tealeaves.human.app.server import create_app
from tealeaves.human.item_sets import ItemSet
from tealeaves.human.study import Study

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7919 * 7907 }}", "=1+1"]


class Page(HTMLParser):
    """All forms of a page, each with its fields as a browser without a script would send them."""

    def __init__(self, html):
        super().__init__()
        self.forms, self.form, self.text = [], None, ""
        self.area = self.select = None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        name = given.get("name")
        if tag == "form":
            self.form = {}
            self.forms.append(self.form)
        elif self.form is None or (not name and tag != "option"):
            return
        elif tag == "input" and given.get("type") in ("radio", "checkbox"):
            if "checked" in given:
                self.form[name] = given.get("value", "on")
        elif tag == "input":
            self.form[name] = given.get("value") or ""
        elif tag == "textarea":
            self.area, self.form[name] = name, ""
        elif tag == "select":
            self.select = name
        elif tag == "option" and self.select:
            self.form.setdefault(self.select, given.get("value"))

    def handle_endtag(self, tag):
        if tag == "form":
            self.form = None
        elif tag == "textarea":
            self.area = None
        elif tag == "select":
            self.select = None

    def handle_data(self, data):
        self.text += data
        if self.area:
            self.form[self.area] += data


class Curator(Rater):
    """Somebody with a browser of his own."""

    def begin(self):
        self.consent()
        assert self.at == "instructions"
        self.send()
        assert self.at == "curate", self.at
        return self

    @property
    def shown(self):
        return Page(self.page.text)

    def form(self, what):
        return next(form for form in self.shown.forms if form.get("do") == what)

    def step(self, what, **given):
        """Send one of the page's forms, with some fields filled in; None: a box that is not ticked."""
        form = {**self.form(what), **given}
        data = {name: value for name, value in form.items() if value is not None}
        self.page = self.client.post(self.url("curate/do"), data=data, follow_redirects=True)
        return self.page


@pytest.fixture
def serve(tmp_path, database):
    clients = []

    def go(items=ITEMS, state="live", **settings):
        folder = tmp_path / "themes"
        study = Study.create(
            folder, ItemSet("reference_topic_curation", list(items)), title="Themes", **settings
        )
        study = study if state == "draft" else study.move(state)
        app = create_app([folder], database)

        def curator():
            client = TestClient(app)
            clients.append(client)
            return Curator(client, "themes")

        return study, curator, app.state.site.find("themes").store

    yield go
    for client in clients:
        client.close()


def test_a_curator_names_ticks_adds_sets_aside_and_undoes_without_a_script(serve):
    study, curator, kept = serve()
    me = curator().begin()
    me.get("curate/topic/1")
    me.step(
        "sheet", label="energy", w1="1", w2="1", d1="1", preference="words", category="economy", text="Fuel."
    )
    assert me.page.status_code == 200
    me.step("sheet", w2=None, w3="1")
    me.get("curate/topic/3")
    me.step("join")
    me.step("sheet", w2="1")
    me.get("curate/topic/2")
    me.step("discard", reason="only crops")
    log = curation_log.curations(study, kept)["R-001"]
    (topic,) = log.state.topics.values()
    assert (topic.label, topic.words, topic.documents) == ("energy", ("oil", "opec", "crude"), ("0",))
    assert (topic.preference, topic.description, topic.categories) == (
        "words",
        "Fuel.",
        {"category": "economy"},
    )
    assert topic.items == ("i0001", "i0003")
    assert log.state.discarded == {"i0002": "only crops"}
    me.get("curate")
    assert "3 of 3 looked through" in me.shown.text
    me.step("undo")
    assert "2 of 3 looked through" in me.shown.text
    me.step("redo")
    assert "3 of 3 looked through" in me.shown.text
    me.get("curate?q=opec")
    assert "One topic" in me.shown.text
    me.get("curate?show=discarded")
    assert "only crops" in me.shown.text


def test_topics_are_merged_split_and_removed(serve):
    study, curator, kept = serve()
    me = curator().begin()
    for n, label in ((1, "fuel"), (2, "grain")):
        me.get(f"curate/topic/{n}")
        me.step("sheet", label=label, w1="1", d2="1")
    topics = {t.label: t for t in curation_log.curations(study, kept)["R-001"].state.topics.values()}
    me.get(f"curate/reference/{topics['fuel'].id}")
    me.step("merge")
    (topic,) = curation_log.curations(study, kept)["R-001"].state.topics.values()
    assert (topic.label, topic.words) == ("grain", ("wheat", "oil"))
    assert me.at == f"curate/reference/{topic.id}"
    me.step("split", w2="1", label="oil")
    names = {t.label: t.words for t in curation_log.curations(study, kept)["R-001"].state.topics.values()}
    assert names == {"grain": ("wheat",), "oil": ("oil",)}
    me.step("split", label="x")
    assert me.page.status_code == 422
    assert "Tick the words" in me.shown.text
    me.step("remove")
    assert [t.label for t in curation_log.curations(study, kept)["R-001"].state.topics.values()] == ["grain"]


def test_a_topic_that_holds_two_things_becomes_two_reference_topics(serve):
    study, curator, kept = serve()
    me = curator().begin()
    me.get("curate/topic/1")
    me.step("sheet", label="oil", w1="1")
    me.get("curate/topic/1?in=")
    me.step("sheet", label="gas", w2="1")
    names = {t.label: t.words for t in curation_log.curations(study, kept)["R-001"].state.topics.values()}
    assert names == {"oil": ("oil",), "gas": ("gas",)}


def test_a_form_sent_twice_is_one_step_and_a_changed_one_another(serve):
    study, curator, kept = serve()
    me = curator().begin()
    me.get("curate/topic/1")
    form = {**me.form("sheet"), "label": "energy", "w1": "1"}
    for _ in range(3):
        reply = me.client.post(me.url("curate/do"), data=form, headers={"Accept": "application/json"})
        assert (reply.status_code, reply.json()["saved"]) == (200, True)
    assert len(curation_log.curations(study, kept)["R-001"].events) == 1
    delta = {name: form[name] for name in ("csrf", "do", "topic", "item", "idempotency")} | {"seen": "1"}
    reply = me.client.post(
        me.url("curate/do"), data={**delta, "w2": "1"}, headers={"Accept": "application/json"}
    )
    assert reply.json()["seen"] == 2
    assert curation_log.curations(study, kept)["R-001"].state.topics[form["topic"]].words == ("oil", "gas")
    again = me.form("undo") | {"of": "2"}
    for _ in range(2):  # a double click
        me.client.post(me.url("curate/do"), data=again)
    assert curation_log.curations(study, kept)["R-001"].state.topics[form["topic"]].words == ("oil",)


def test_an_old_tab_cannot_overwrite_what_was_done_since(serve):
    study, curator, kept = serve()
    me = curator().begin()
    me.get("curate/topic/1")
    me.step("sheet", label="energy", w1="1")
    me.get("curate/topic/1")
    old = me.form("sheet")
    me.step("sheet", w2="1")
    reply = me.client.post(me.url("curate/do"), data={**old, "w3": "1", "label": "fuel"})
    assert reply.status_code == 409
    assert "changed in another tab" in Page(reply.text).text
    kept_form = next(form for form in Page(reply.text).forms if form.get("do") == "sheet")
    assert kept_form["label"] == "fuel"  # what was written is not lost
    (topic,) = curation_log.curations(study, kept)["R-001"].state.topics.values()
    assert (topic.label, topic.words) == ("energy", ("oil", "gas"))


def test_a_name_that_is_taken_is_refused_at_its_field(serve):
    _, curator, _ = serve()
    me = curator().begin()
    me.get("curate/topic/1")
    me.step("sheet", label="energy", w1="1")
    me.get("curate/topic/2")
    me.step("sheet", label="Energy", w1="1")
    assert me.page.status_code == 422
    assert 'id="error-label">You have a reference topic of this name' in me.page.text
    assert me.form("sheet")["w1"] == "1"


def test_curators_keep_apart_and_a_second_reader_agrees_and_remarks(serve):
    study, curator, kept = serve()
    first, second = curator().begin(), curator().begin()
    first.get("curate/topic/1")
    first.step("sheet", label="energy", w1="1", d1="1")
    second.get("curate")
    assert "None yet" in second.shown.text  # the other's topics are not mine
    second.get("curate/others")
    assert "R-001" in second.shown.text
    second.get("curate/others/1")
    assert "energy" in second.shown.text
    (topic,) = curation_log.curations(study, kept)["R-001"].state.topics
    second.get(f"curate/others/1/{topic}")
    second.step("judge", verdict="disagree", remark="gas is lacking")
    first.get(f"curate/reference/{topic}")
    assert re.search(r"R-002\s+disagrees: gas is lacking", first.shown.text)
    first.get(f"curate/topic/1?in={topic}")
    first.step("sheet", w2="1")
    first.get(f"curate/reference/{topic}")
    assert "of an earlier version" in first.shown.text
    second.get("curate/others/1")
    assert "changed since you read it" in second.shown.text
    second.get(f"curate/others/1/{topic}")
    second.step("judge", verdict="agree", remark="")
    logs = curation_log.curations(study, kept)
    assert logs["R-001"].reference_topics(readers=[logs["R-002"]], agreed=True).labels == ("energy",)
    assert second.get("curate/others/2").status_code == 404  # oneself
    assert second.get("curate/others/9").status_code == 404


def test_a_step_that_no_page_sends_is_refused_and_changes_nothing(serve):
    study, curator, kept = serve()
    me = curator().begin()
    me.get("curate/topic/1")
    form = me.form("sheet")
    for wrong, status in (
        ({"do": "guess"}, 422),
        ({"item": "i0099"}, 409),
        ({"topic": "../x", "label": "a"}, 422),
        ({"label": "x" * 200}, 422),
        ({"do": "judge", "curator": "R-009", "topic": "r1", "verdict": "agree", "at": "1"}, 409),
        ({"do": "undo", "of": "x"}, 422),
        ({"do": "undo", "of": "1"}, 409),
        ({"idempotency": ""}, 400),
        ({"csrf": "x"}, 403),
    ):
        reply = me.client.post(me.url("curate/do"), data={**form, **wrong})
        assert reply.status_code == status, (wrong, reply.status_code)
    assert curation_log.curations(study, kept) == {}
    stranger = curator()
    assert stranger.get("curate").url.path == "/s/themes/"  # consent comes first
    for address in ("curate/topic/0", "curate/topic/99", "curate/reference/r1", "curate/others/1/r1"):
        assert me.get(address).status_code == 404


def test_hostile_words_titles_and_names_come_as_text_and_nothing_is_inline(serve):
    hostile = item(1, HOSTILE, HOSTILE)
    hostile.shown["documents"][0].update(title=HOSTILE[0], text=HOSTILE[1])
    study, curator, kept = serve([hostile, *ITEMS[1:]])
    me, other = curator().begin(), curator().begin()
    me.get("curate/topic/1")
    ticks = {f"w{i}": "1" for i in range(1, 5)} | {f"d{i}": "1" for i in range(1, 5)}
    me.step("sheet", label=HOSTILE[0], text=HOSTILE[1], category=HOSTILE[2], **ticks)
    (topic,) = curation_log.curations(study, kept)["R-001"].state.topics
    other.get(f"curate/others/1/{topic}")
    other.step("judge", verdict="disagree", remark=HOSTILE[1])
    me.get("curate/topic/2")
    me.step("discard", reason=HOSTILE[0])
    looked = ["curate", "curate/topic/1", "curate/topic/2", f"curate/reference/{topic}", "curate/topic/3"]
    for page in [me.get(one) for one in looked] + [
        other.get(f"curate/others/1/{topic}"),
        other.get("curate/others/1"),
    ]:
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert "62615533" not in page.text  # nothing was worked out
        assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=\"", page.text)
        assert "default-src 'none'" in page.headers["content-security-policy"]
    assert me.get("curate?q=<script>").status_code == 200
    assert "<script>" not in me.page.text


def test_who_withdraws_and_wants_it_leaves_no_step_behind(serve):
    study, curator, kept = serve()
    me = curator().begin()
    me.get("curate/topic/1")
    me.step("sheet", label="energy", w1="1")
    me.get("withdraw")
    me.send(stop="delete")
    with kept.reading() as connection:
        assert connection.execute(select(tables.events)).all() == []
    assert curation_log.curations(study, kept) == {}
    assert me.get("curate").url.path.endswith("/end")


def test_what_was_tried_in_a_draft_is_thrown_away_when_the_study_begins(serve):
    study, curator, kept = serve(state="draft")
    me = curator().begin()
    me.get("curate/topic/1")
    me.step("sheet", label="tried", w1="1")
    assert curation_log.curations(study, kept) == {}
    assert list(curation_log.curations(study, kept, draft=True)) == ["R-001"]
    study.move("live")
    curator().begin()
    assert curation_log.curations(study, kept, draft=True) == {}


def test_a_curator_comes_back_weeks_later_by_the_link_on_another_device(serve, monkeypatch):
    _, curator, _ = serve()
    me = curator().begin()
    me.get("curate/topic/1")
    me.step("sheet", label="energy", w1="1")
    me.get("curate")
    link = re.search(r'href="http://testserver(/s/themes/resume/\w+)"', me.page.text)[1]
    import time

    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 30 * 86400)
    there = curator()
    there.page = there.client.get(link, follow_redirects=True)
    assert there.at == "curate"
    assert "energy" in there.shown.text


def test_a_killed_server_has_lost_no_acknowledged_step_and_takes_a_retry_once(tmp_path):
    wide = item(1, [f"w{i}" for i in range(40)])
    study = Study.create(tmp_path / "study", ItemSet("reference_topic_curation", [wide])).move("live")
    server = Server(study.folder)
    acknowledged, sent = set(), []
    with server:
        client = httpx.Client(base_url=server.url, verify=False, timeout=10)
        me = Curator(client).begin()
        me.get("curate/topic/1")
        form = me.form("sheet")
        base = {name: form[name] for name in ("csrf", "do", "topic", "item")} | {"seen": "0"}
        headers = {"Accept": "application/json"}
        for i in range(1, 41):
            body = {**base, f"w{i}": "1", "idempotency": f"key{i}"}
            sent.append((i, body))
            if i == 25:
                server.kill()
            try:
                reply = client.post(me.url("curate/do"), data=body, headers=headers)
            except httpx.HTTPError:
                break
            assert reply.json()["saved"] is True
            base["seen"] = str(reply.json()["seen"])
            acknowledged.add(f"w{i - 1}")
        assert len(acknowledged) == 24
        log = tl.human.curations(study.folder)["R-001"]
        assert set(log.state.topics[form["topic"]].words) >= acknowledged
        server.start()
        cookies = {"Cookie": f"tealeaves={client.cookies['tealeaves']}", **headers}
        for _, body in sent:  # all of it again, as an outbox would that has heard nothing
            reply = httpx.post(server.url + me.url("curate/do"), data=body, headers=cookies, verify=False)
            assert reply.json()["saved"] is True
        client.close()
    log = tl.human.curations(study.folder)["R-001"]
    assert log.state.topics[form["topic"]].words == tuple(f"w{i}" for i in range(25))
    assert len(log.events) == 25


def test_the_command_exports_what_read_reference_topics_opens(tmp_path, capsys):
    folder = tmp_path / "themes"
    Study.create(folder, ItemSet("reference_topic_curation", ITEMS)).move("live")
    texts = tmp_path / "docs.jsonl"
    rows = [json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(TEXTS)]
    texts.write_text("".join(rows), "utf-8")

    def export(name, *more):
        status = run(["study", "export", str(folder), "--reference-topics", str(tmp_path / name), *more])
        return status, "".join(capsys.readouterr())

    reading = ("--corpus", str(texts), "--id", "id", "--text", "text")
    status, said = export("r.json")
    assert status != 0
    assert "nobody has made a reference topic yet" in said
    with TestClient(create_app([folder])) as one, TestClient(create_app([folder])) as two:
        for client, label in ((one, "energy"), (two, "oil")):
            me = Curator(client, "themes").begin()
            me.get("curate/topic/1")
            me.step("sheet", label=label, w1="1", w2="1", d1="1")
    assert (
        "R-001, R-002 have made reference topics: say whose with --curator" in export("r.json", *reading)[1]
    )
    for name in ("r.json", "r.csv", "r"):
        status, said = export(name, *reading, "--curator", "R-002")
        assert status == 0, said
        made = tl.read_reference_topics(tmp_path / name)
        assert made.labels == ("oil",)
        assert made.topic_word.sum() == pytest.approx(1)
    assert "each ticked word weighs 1" in export("r.json", "--curator", "R-001")[1]
    assert (
        "were not agreed to by a second reader: energy"
        in export("r.json", "--curator", "R-001", "--agreed")[1]
    )
    assert run(["study", "export", str(folder), "--agreed"]) != 0
    both = ("--curator", "R-001", "--curator", "R-002")
    status, said = export("both.json", *reading, *both)
    assert status == 0, said
    assert "'energy' of R-001 and 'oil' of R-002 are taken for one" in said
    assert "agreement of R-001 and R-002: reference topics 1.00" in said
    assert tl.read_reference_topics(tmp_path / "both.json").labels == ("energy",)
    assert export("b.json", *reading, *both, "--keep", "both")[0] == 0
    assert "--keep is for two curators" in export("b.json", "--curator", "R-001", "--keep", "both")[1]
    assert "R-009 has made no reference topic" in export("b.json", "--curator", "R-009")[1]
    with TestClient(create_app([folder])) as organiser:
        organiser.get(f"/organiser/login?token={organiser_auth.mint([folder])}")
        page = organiser.get("/organiser/themes/").text
    assert "R-001 and R-002: 1 topic of both, 0 of one alone" in page
    assert "--curator R-001 --curator R-002" in page


def test_status_and_the_organiser_see_how_far_each_curator_is(tmp_path, capsys):
    folder = tmp_path / "themes"
    Study.create(folder, ItemSet("reference_topic_curation", ITEMS), title="Themes").move("live")
    with TestClient(create_app([folder])) as client:
        me = Curator(client, "themes").begin()
        me.get("curate/topic/1")
        me.step("sheet", label="energy", w1="1")
        client.get(f"/organiser/login?token={organiser_auth.mint([folder])}")
        page = client.get("/organiser/themes/")
        assert page.status_code == 200
        cells = re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", page.text)
        at = cells.index("R-001")
        assert cells[at : at + 5] == ["R-001", "1", "1 of 3", "0", "1"]
    assert run(["study", "status", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "R-001: 1 reference topics, 1 of 3 topics looked through, 0 of others judged" in said
    assert run(["study", "status", str(folder), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["curators"] == [
        {"curator": "R-001", "reference_topics": 1, "done": 1, "topics": 3, "judged": 0, "steps": 1}
    ]
