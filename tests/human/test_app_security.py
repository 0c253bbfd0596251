"""No key in any page, no id in any log, no address in any table; and nothing forged is taken."""

import asyncio
import json
import logging
import re

import pytest
from sqlalchemy import event, select
from starlette.requests import Request
from starlette.testclient import TestClient

from human.sets import extended
from study_client import Rater, new_study, word_items
from tealeaves.human.app import pages, security, tables
from tealeaves.human.app.server import ENVIRONMENT, create_app, from_environment
from tealeaves.human.items import Item, ItemSet

TASKS = [task for task in pages.TASKS if task != "reference_topic_curation"]
NAMED = {"name_a": "one", "name_b": "two", "label": "a name"}  # what is written where something is named
JSON = {"Accept": "application/json"}


@pytest.fixture
def serve(tmp_path):
    apps = []

    def start(items=None, *, app=None, base="http://testserver", **settings):
        study = new_study(tmp_path, items, **settings)
        made = create_app([study.folder], organiser=False, **(app or {}))
        apps.append(made)
        return lambda: Rater(TestClient(made, base_url=base)), made.state.site.find("study")

    yield start
    for app in apps:
        app.state.site.close()


def test_a_crawl_of_every_page_a_rater_can_open_finds_no_key_role_or_source(serve):
    items = word_items(5, models=("secretmodel",), checks=2, practice=1)
    browser, _ = serve(items, quiz=True, quiz_tries=99, break_every=3)
    rater = browser()
    seen: dict[str, str] = {}
    before: list[str] = []  # pages of items, before anything is answered

    def keep(page):
        seen[str(page.url.path) + str(len(seen))] = page.text + str(page.headers)

    keep(rater.get())
    keep(rater.send(agree="1", stop="keep"))
    for _ in range(80):
        at = rater.at
        if at == "thanks":
            break
        if at == "break":
            rater.get(rater.forms.links[-1].removeprefix(rater.url()))
        elif at == "quiz":
            tries = sum("quiz" in path for path in seen)
            rater.send(q1=str(tries // 3 % 3 + 1), q2=str(tries % 3 + 1))
        else:
            rater.send(**({} if at == "instructions" else rater.choose()))
        keep(rater.page)
        if rater.at.startswith("item/") and not before:
            before = [rater.client.get(rater.url(f"item/{n}")).text for n in range(1, 9)]
    for path in ("pause", "withdraw", "instructions", "end", "item/99", "practice/9", "nonsense", ""):
        keep(rater.get(path))
    for link in {link for page in seen.values() for link in re.findall(r'(?:href|src)="(/[^"]+)"', page)}:
        keep(rater.client.get(link))
    assert len(before) == 8
    for path, page in seen.items():
        # "answer key", roles and names of models; the word "intruder" would tell what is looked for
        assert not re.search(r"intruder|answer_key|secretmodel|\bcontrol item|\bi000\d", page), path
    assert not any(re.search("yyy|is another thing", page) for page in before)
    # The key stands among the options and nowhere else: as often as any other option.
    for page in before[:7]:
        shown = re.findall(r"(?:oil|gas|crude|opec|barrel|zzz[a-z]*)\d+", page)
        counts = {word: shown.count(word) for word in shown}
        assert len(counts) == 6
        assert len(set(counts.values())) == 1


@pytest.mark.parametrize("task", TASKS)
def test_no_page_of_any_task_names_a_model_an_item_or_a_role(serve, task):
    browser, _ = serve(extended(task, checks=2, practice=1))
    rater, seen = browser(), []
    rater.get()
    rater.send(agree="1", stop="keep")
    for _ in range(9):
        seen.append(rater.page)
        if rater.at.startswith("item/"):
            break
        rater.send(**({} if rater.at == "instructions" else {**NAMED, **rater.choose()}))
    seen += [rater.get(f"item/{n}") for n in range(1, 6)]
    seen += [rater.client.get(rater.url(f"item/{n}"), headers=JSON) for n in (1, 2)]
    assert sum("item/" in page.url.path for page in seen) >= 5
    for page in seen:
        told = re.search(r"intruder|answer_key|\bkey\b|\bi\d{4}\b|\blda\b", page.text + str(page.headers))
        assert told is None, told[0]
        assert not re.search(r"\bcontrol\b|\b(role|kind)=.?(check|item|practice)", page.text)


def test_check_items_have_the_same_page_as_others(serve):
    browser, _ = serve(word_items(3, checks=2))
    rater = browser()
    rater.to_items()
    pages = [rater.client.get(rater.url(f"item/{n}")).text for n in range(1, 6)]
    bare = [re.sub(r'value="[^"]*"|[a-z]+\d+|\d+|back.*', "", page) for page in pages[1:-1]]
    lengths = {len(page.split()) for page in bare}
    assert max(lengths) - min(lengths) <= 2


def test_options_come_in_another_order_for_each_rater_and_item_and_the_key_at_every_place(serve):
    browser, served = serve(word_items(6), answers_per_item=99)
    for _ in range(12):
        browser().to_items()
    by_id = served.study().items.by_id
    with served.store.reading() as connection:
        rows = connection.execute(select(tables.assignments)).all()
    orders = {(row.item, row.order) for row in rows}
    assert len(orders) > 60
    places = [eval(row.order).index(by_id[row.item].options.index(by_id[row.item].key)) for row in rows]
    assert (
        min(places.count(place) for place in range(6)) >= 3
    )  # 12 of 72 are expected; under 3 in one of 10,000
    firsts = {row.item for row in rows if row.position == 1}
    assert len(firsts) > 2


def test_hostile_words_and_documents_come_as_text(serve):
    evil = "<script>alert(1)</script>"
    options = tuple(f"{evil}{i}\"'><img src=x onerror=1>&amp;{{{{7919*7907}}}}" for i in range(6))
    item = Item(
        "i0001", "topic_intrusion", "m", 0, "item", options, options[2], {"title": evil, "text": evil * 3}
    )
    browser, _ = serve(ItemSet("topic_intrusion", [item]), title=evil, host=evil, more=(evil,))
    rater = browser()
    for page in (rater.get(), rater.consent(), rater.to_items()):
        assert "<script>alert" not in page.text
        assert "<img" not in page.text
        assert "62615533" not in page.text  # nothing was worked out
    rater.answer()
    assert rater.at == "thanks"
    assert "<script>alert" not in rater.page.text


def test_no_page_has_script_or_style_in_itself_and_the_policy_forbids_it(serve):
    browser, _ = serve(word_items(2, practice=1))
    rater = browser()
    pages = [rater.get(), rater.consent(), rater.to_items(), rater.get("pause"), rater.get("nowhere")]
    for page in pages:
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=|javascript:", page.text)
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["cache-control"] == "no-store"
        assert "server" not in page.headers


def test_a_form_without_its_mark_or_sent_by_another_site_is_refused(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    form, action = {**rater.forms.fields, **rater.choose()}, rater.forms.action
    for change in ({"csrf": ""}, {"csrf": "0" * 40}):
        assert rater.client.post(action, data={**form, **change}).status_code == 403
    crossing = rater.client.post(action, data=form, headers={"Sec-Fetch-Site": "cross-site"})
    assert crossing.status_code == 403
    other = browser()
    other.get()
    assert other.client.post(action, data=form).status_code == 403
    with served.store.reading() as connection:
        assert connection.execute(select(tables.answers)).all() == []


def test_cookies_are_for_the_server_only_and_for_https_where_there_is_https(serve, tmp_path):
    browser, _ = serve()
    plain = browser().get().headers["set-cookie"]
    assert "HttpOnly" in plain
    assert "SameSite=lax" in plain
    assert "Path=/s/study/" in plain
    assert "Secure" not in plain
    app = create_app([tmp_path / "study"], behind_proxy=True, organiser=False)
    behind = TestClient(app).get("/s/study/")
    assert "Secure" in behind.headers["set-cookie"]
    assert "max-age" in behind.headers["strict-transport-security"]
    app.state.site.close()


def test_the_database_has_hashes_of_tokens_and_no_token(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    token = rater.client.cookies["tealeaves"]
    link = re.search(r"resume/(\w+)", str(rater.get("pause").text))
    raw = b"".join(path.read_bytes() for path in served.folder.glob("study.db*"))
    assert token.encode() not in raw
    assert security.hashed(token).encode() in raw
    if link:
        assert link[1].encode() not in raw


def test_logs_have_pages_and_times_but_no_ids_tokens_or_addresses(serve, caplog):
    browser, _ = serve(platform="prolific")
    rater = browser()
    with caplog.at_level(logging.INFO, logger="tealeaves.study"):
        rater.to_items(query="?PROLIFIC_PID=5f0000000000000000000123&STUDY_ID=s1&SESSION_ID=t1")
        rater.answer()
        rater.get("resume/abcdef")
    text = "\n".join(r.getMessage() for r in caplog.records if r.name == "tealeaves.study")
    assert re.search(r"^POST answered 303 [\d.]+ ms$", text, re.M)
    for secret in ("5f00000", "s1", "testclient", "testserver", "abcdef", rater.client.cookies["tealeaves"]):
        assert secret not in text


def test_an_error_shows_and_logs_nothing_of_what_was_written(serve, caplog, monkeypatch):
    browser, _ = serve()
    rater = browser()
    rater.to_items()

    def broken(*args, **kwargs):
        raise RuntimeError("what somebody wrote: rosebud")

    monkeypatch.setattr("tealeaves.human.app.flow.save", broken)
    reply = rater.send(**rater.choose())
    assert reply.status_code == 500
    assert "rosebud" not in reply.text
    assert "wrong on our side" in reply.text
    ours = [
        r.getMessage() for r in caplog.records if r.name == "tealeaves.study" and r.levelno >= logging.ERROR
    ]
    assert len(ours) == 1
    assert ours[0].startswith("RuntimeError at ")
    assert "rosebud" not in ours[0]


def test_no_address_of_anybody_s_computer_is_stored(serve):
    browser, served = serve()
    rater = browser()
    rater.client.headers["X-Forwarded-For"] = "203.0.113.77"
    rater.to_items()
    rater.finish()
    raw = b"".join(path.read_bytes() for path in served.folder.glob("study.db*"))
    assert b"203.0.113.77" not in raw
    assert b"testclient" not in raw
    for table in tables.METADATA.tables.values():
        assert not {"ip", "address", "host", "user_agent"} & set(table.c.keys())


def test_unknown_studies_pages_items_and_links_are_answered_alike(serve):
    browser, _ = serve()
    rater = browser()
    rater.to_items()
    found = [
        rater.client.get(path)
        for path in (
            "/s/study/item/99",
            "/s/study/item/9999999999",
            "/s/study/item/" + "9" * 5000,
            "/s/study/practice/" + "9" * 5000,
            "/s/study/resume/x",
            "/s/study/resume/" + "0" * 40,
        )
    ]
    assert {page.status_code for page in found} == {404}
    assert len({re.sub(r'value="[^"]*"', "", page.text) for page in found}) == 1
    apart = [
        rater.client.get(path) for path in ("/s/other/", "/s/other/item/1", "/nowhere", "/s/study/../../etc")
    ]
    assert {page.status_code for page in apart} == {404}
    assert len({page.text for page in apart}) == 1
    german = rater.client.get("/s/other/", headers={"accept-language": "de-DE,de;q=0.9,en;q=0.5"})
    assert german.status_code == 404
    assert '<html lang="de">' in german.text


def asked(served, send):
    """A reply as far as a rater could tell it from another: status, headers, body, and what it cost."""
    statements = []

    def note(_connection, _cursor, statement, *_):
        statements.append(statement)

    event.listen(served.store.engine, "before_cursor_execute", note)
    reply = send()
    event.remove(served.store.engine, "before_cursor_execute", note)
    body = re.sub(r'value="[^"]*"', "", reply.text)
    return reply.status_code, sorted(reply.headers.items()), body, statements


@pytest.mark.parametrize("headers", [JSON, {}])
def test_an_answer_to_another_s_item_and_to_none_differ_in_nothing_not_even_in_what_they_cost(serve, headers):
    browser, served = serve()
    one, two = browser(), browser()
    one.to_items()
    two.to_items()
    form = {**two.forms.fields, **two.choose()}
    found = [
        asked(
            served,
            lambda token=token: two.client.post(
                two.forms.action, data={**form, "assignment": token}, headers=headers, follow_redirects=False
            ),
        )
        for token in (one.forms.fields["assignment"], "0" * 40, "x", "")
    ]
    assert found[0][0] == (409 if headers else 303)
    assert all(reply == found[0] for reply in found)
    with served.store.reading() as connection:
        assert connection.execute(select(tables.answers)).all() == []


def test_a_cookie_or_a_link_that_is_nobody_s_is_answered_like_any_other_and_costs_the_same(serve):
    browser, served = serve()
    browser().to_items()
    client = TestClient(browser().client.app)
    for path, values in (
        ("/s/study/item/1", ["s.unknown", f"s.{'0' * 43}"]),
        ("/s/study/next", ["s.unknown", "s."]),
    ):
        found = [
            asked(
                served,
                lambda path=path, value=value: client.get(
                    path, headers={"Cookie": f"tealeaves={value}"}, follow_redirects=False
                ),
            )
            for value in values
        ]
        assert all(reply == found[0] for reply in found)
    links = [asked(served, lambda end=end: client.get(f"/s/study/resume/{end}")) for end in ("x", "0" * 40)]
    assert links[0] == links[1]
    assert links[0][0] == 404


def test_an_answer_and_a_page_ask_the_database_no_more_than_they_must(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    form = {**rater.forms.fields, **rater.choose()}
    _, _, _, answer = asked(served, lambda: rater.client.post(rater.forms.action, data=form, headers=JSON))
    _, _, _, page = asked(served, lambda: rater.client.get(rater.url("item/2")))
    assert (len(answer), len(page)) == (10, 2)  # what one more of them costs is what the server does not do


@pytest.mark.parametrize("path", ["/s/study/consent", "/organiser/new", "/organiser/nonsense", "/organiserx"])
def test_a_body_that_is_too_large_is_refused_before_it_is_read(path):
    read = []

    async def receive():
        read.append(1)
        return {"type": "http.request", "body": b"x" * 1024, "more_body": True}

    async def never(scope, receive, send):
        raise AssertionError("came to the application")

    def call(headers):
        sent = []

        async def send(message):
            sent.append(message)

        guard = security.Guard(never, lambda status, kind, headers: (kind, "text/plain"))
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "headers": headers,
            "scheme": "http",
        }
        asyncio.run(guard(scope, receive, send))
        return sent[0]["status"]

    assert call([(b"content-length", b"70000")]) == 413
    assert read == []
    assert call([(b"content-length", b"-1")]) == 413
    assert call([(b"content-length", b"9" * 5000)]) == 413
    assert call([]) == 413  # of unknown length: read up to the limit and no further
    assert len(read) <= security.BODY / 1024 + 1


def test_only_forms_are_read_and_none_with_hundreds_of_fields(serve):
    browser, _ = serve()
    rater = browser()
    rater.get()
    action = rater.forms.action
    assert rater.client.post(action, json={"agree": "1"}).status_code == 415
    assert rater.client.post(action, data={f"f{i}": "x" for i in range(500)}).status_code == 400
    bad = rater.client.post(
        action, content=b"a=%ff\xff", headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert bad.status_code == 400


def test_one_address_cannot_begin_without_end(serve):
    browser, served = serve(app={"starts_a_minute": 3}, answers_per_item=99)
    for _ in range(3):
        browser().to_items()
    late = browser()
    late.consent()
    assert late.page.status_code == 429
    assert late.page.headers["retry-after"] == "10"
    with served.store.reading() as connection:
        assert len(connection.execute(select(tables.raters)).all()) == 3


def test_a_rater_who_answers_faster_than_anybody_can_is_slowed_down(serve, monkeypatch):
    monkeypatch.setattr("tealeaves.human.app.flow.ANSWERS_A_MINUTE", 2)
    browser, _ = serve()
    rater = browser()
    rater.to_items()
    rater.answer()
    rater.answer()
    reply = rater.client.post(rater.forms.action, data={**rater.forms.fields, **rater.choose()}, headers=JSON)
    assert reply.status_code == 429
    assert reply.json() == {"saved": False, "error": "too-many"}


def test_the_quiz_and_the_screening_do_not_tell_which_options_are_right(serve):
    question = {"question": "Age?", "options": ["under 18", "18"], "accept": [1]}
    browser, _ = serve(quiz=True, screening=[question])
    rater = browser()
    rater.consent()
    assert not re.search("accept|right|wrong", re.sub(r"<head>.*</head>", "", rater.page.text, flags=re.S))
    rater.send(s1="2")
    rater.send()
    assert rater.at == "quiz"
    assert "aria-invalid" not in rater.page.text
    assert "data-right" not in rater.page.text


def test_a_cookie_that_was_tampered_with_is_nobody_s(serve):
    browser, _ = serve(platform="prolific")
    rater = browser()
    rater.get("?PROLIFIC_PID=5f0000000000000000000123&STUDY_ID=s&SESSION_ID=t")
    cookie = rater.client.cookies["tealeaves"]
    body, _, mark = cookie.rpartition(".")
    import base64

    said = base64.urlsafe_b64encode(json.dumps({"PROLIFIC_PID": "other"}).encode()).decode()
    forged = ".".join([*body.split(".")[:2], said, mark])
    for value in (forged, "v..", "v.a.b.c", "s.", "s.x", "", "é"):
        headers = {"Cookie": f"tealeaves={value}".encode()}
        page = TestClient(rater.client.app).get("/s/study/", headers=headers)
        assert page.status_code == 404  # as without any cookie: a platform's study wants an id


@pytest.mark.parametrize("url", [None, "https://studies.example.org/"])
def test_a_rater_s_own_link_leads_to_us_whatever_host_a_request_names(serve, url):
    browser, _ = serve(app={"url": url})
    rater = browser()
    rater.to_items()
    wanted = "https://studies.example.org/s/" if url else "http://testserver/s/"
    for host in ("testserver", "evil.example", "evil.example:80", "testserver@evil.example", "testserver:x"):
        page = rater.client.get(rater.url("pause"), headers={"Host": host}).text
        assert re.findall(r"https?://[^\s<\"]*/s/study/resume", page)[0].startswith(wanted)
        assert "evil" not in page


@pytest.mark.parametrize(
    ("server", "host", "origin"),
    [
        (("127.0.0.1", 8000), "localhost:8000", "http://localhost:8000"),
        (("127.0.0.1", 8000), "127.0.0.1:8000", "http://127.0.0.1:8000"),
        (("127.0.0.1", 8000), "localhost:9999", "http://127.0.0.1:8000"),
        (("192.0.2.7", 8000), "localhost:8000", "http://192.0.2.7:8000"),
        (("192.0.2.7", 8000), "studies.example.org", "http://192.0.2.7:8000"),
        (("::1", 8000), "[::1]:8000", "http://[::1]:8000"),
        (("192.0.2.7", 80), "192.0.2.7", "http://192.0.2.7"),
        (("192.0.2.7", 80), "", "http://192.0.2.7"),
    ],
)
def test_an_address_is_believed_only_if_it_is_of_the_socket(serve, server, host, origin):
    _, served = serve()
    scope = {
        "type": "http",
        "scheme": "http",
        "server": server,
        "path": "/",
        "query_string": b"",
        "headers": [(b"host", host.encode())],
    }
    assert served.site.origin(Request(scope)) == origin


@pytest.mark.parametrize("log", [True, False])
def test_the_log_of_requests_is_written_if_it_is_asked_for(tmp_path, log, monkeypatch):
    study = new_study(tmp_path)
    monkeypatch.setenv(ENVIRONMENT, json.dumps({"studies": [str(study.folder)], "log": log}))
    monkeypatch.setattr(security.LOG, "level", logging.NOTSET)
    app = from_environment()
    assert (security.LOG.getEffectiveLevel() <= logging.INFO) is log
    app.state.site.close()
