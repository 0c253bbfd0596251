"""The real server, with two workers: races for places, kills under load, many raters."""

import asyncio
import contextlib
import http.client
import json
import re
import socket
import time
from collections import Counter

import httpx
import pytest
from sqlalchemy import select

from study_client import Rater, assignment_of, new_study, word_items
from study_load import AsyncRater, Crowd, Server
from tealeaves.human.app import answering, store, tables


def saved(study, database=None):
    """(assignment token, key, value, item, rater) of every answer in the database."""
    opened = store.Store.open(study, database)
    a, s = tables.assignments, tables.answers
    with opened.reading() as connection:
        rows = connection.execute(
            select(s.c.key, s.c.value, a.c.item, a.c.rater_id, a.c.id).join(a, a.c.id == s.c.assignment_id)
        ).all()
    opened.close()
    return [(answering._assignment(study, row), row.key, row.value, row.item, row.rater_id) for row in rows]


async def crowd_of(n, url, crowd, **options):
    async def one(i):
        rater = AsyncRater(url, crowd, seed=i)
        await rater.to_items()
        await rater.finish(**options)

    await asyncio.gather(*(one(i) for i in range(n)))


def quiet(server):
    """Whether the server never had to turn anybody away because of its database."""
    said = server.log.read_text("utf-8")
    return "locked" not in said and "cannot be used" not in said


def test_quotas_are_exact_when_50_raters_come_at_once_to_two_workers(tmp_path, database):
    study = new_study(tmp_path, word_items(10, models=("a", "b")), answers_per_item=6, items_per_rater=4)
    crowd = Crowd()
    with Server(study.folder, 2, database) as server:
        asyncio.run(crowd_of(50, server.url, crowd))
    found = saved(study, database)
    assert Counter(row[3] for row in found) == {f"i{i:04d}": 6 for i in range(20)}  # of 200 wanted 120
    assert len({(row[3], row[4]) for row in found}) == 120  # nobody answered an item twice
    assert Counter(crowd.ends)["thanks"] == len({row[4] for row in found})
    assert set(crowd.statuses) <= {200, 303}
    assert quiet(server)


def test_a_killed_server_has_lost_no_acknowledged_answer_and_stores_a_retry_once(tmp_path, database):
    study = new_study(tmp_path, word_items(40), answers_per_item=99, break_every=0)
    crowd = Crowd()
    server = Server(study.folder, 2, database)

    async def under_load():
        raters = [AsyncRater(server.url, crowd, seed=i) for i in range(12)]
        await asyncio.gather(*(rater.to_items() for rater in raters))
        tasks = [asyncio.create_task(rater.finish()) for rater in raters]
        while len(crowd.acknowledged) < 60:
            await asyncio.sleep(0.01)
        server.kill()
        await asyncio.gather(*tasks, return_exceptions=True)

    with server:
        asyncio.run(under_load())
        before = saved(study, database)
        confirmed = {(token, key) for token, key, _ in crowd.acknowledged}
        stored = [(row[0], row[1]) for row in before]
        assert confirmed <= set(stored)
        assert len(set(stored)) == len(stored)

        server.start()
        for action, form, cookie in crowd.pending:  # what was on its way is sent again, with the same key
            headers = {"Accept": "application/json", "Cookie": cookie}
            reply = httpx.post(server.url + action, data=form, headers=headers, verify=False)
            assert reply.json()["saved"] is True
    after = Counter((row[0], row[1]) for row in saved(study, database))
    assert set(after.values()) == {1}
    assert set(after) == set(stored) | {
        (form["assignment"], form["idempotency"]) for _, form, _ in crowd.pending
    }
    by_id = study.items.by_id
    for row in saved(study, database):
        assert json.loads(row[2])["choice"] in by_id[row[3]].options
    assert quiet(server)


@pytest.mark.slow
def test_forty_thinking_raters_are_all_served_without_an_error(tmp_path, database):
    study = new_study(tmp_path, word_items(8), answers_per_item=999, break_every=0)
    crowd = Crowd()
    with Server(study.folder, 2, database) as server:
        asyncio.run(crowd_of(40, server.url, crowd, think=1.0, most=5))
    assert set(crowd.statuses) <= {200, 303}  # how quick they were is measured by bench.study, not here
    assert len(saved(study, database)) == len(crowd.acknowledged) == 200
    assert quiet(server)


def test_the_server_ends_when_it_is_told_to_and_the_file_holds_everything(tmp_path):
    study = new_study(tmp_path, word_items(2), answers_per_item=9)
    crowd = Crowd()
    server = Server(study.folder, 1).start()
    asyncio.run(crowd_of(1, server.url, crowd))
    server.process.terminate()
    assert server.process.wait(15) is not None
    server.kill()
    assert len(saved(study)) == 2


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A server as it is run for real, with its log, and with what one address may."""
    study = new_study(tmp_path_factory.mktemp("plain"), platform="prolific", answers_per_item=99)
    more = {"starts_a_minute": 120, "requests_a_second": 30, "log": True}
    with Server(study.folder, 2, **more) as server:
        yield server


def test_a_body_that_comes_in_pieces_of_unknown_length_is_cut_off(plain):
    for n, status in ((1, 403), (30, 413)):  # of 4 KB each: small ones come to the form, which has no mark
        connection = http.client.HTTPConnection("127.0.0.1", plain.port, timeout=10)
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Transfer-Encoding": "chunked"}
        body = iter([b"a=1"] + [b"b" * 4096] * n)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it does not wait for the rest
            connection.request("POST", "/s/study/consent", body=body, headers=headers, encode_chunked=True)
        assert connection.getresponse().status == status
        connection.close()


def test_what_a_real_server_writes_names_no_id_no_token_and_no_address(plain):
    with httpx.Client(base_url=plain.url, verify=False, headers={"User-Agent": "rosebud/1.0"}) as browser:
        rater = Rater(browser)
        rater.to_items(query="?PROLIFIC_PID=5f0000000000000000000123&STUDY_ID=5f77&SESSION_ID=5f88")
        rater.answer()
        link = re.search(r"/resume/(\w+)", rater.get("pause").text)[1]
        browser.get(f"/s/study/resume/{link}")
        secrets = [*browser.cookies.values(), link, assignment_of(rater.get("item/1").text)]
    with socket.create_connection(("127.0.0.1", plain.port)) as nonsense:
        nonsense.sendall(b"GET /s/study/resume/5f99 5f99\x00\r\n\r\n")
        nonsense.recv(1000)
    said = plain.log.read_text("utf-8")
    assert len(re.findall(r"POST answered 303 [\d.]+ ms$", said, re.M)) == 1
    for secret in (*secrets, "5f0000", "5f77", "5f88", "5f99", "rosebud", "127.0.0.1"):
        assert secret not in said


def test_one_address_may_no_more_with_two_workers_than_with_one(plain):
    began = time.monotonic()
    statuses = Counter()
    for _ in range(900):  # each on a connection of its own, so that either worker gets some
        connection = http.client.HTTPConnection("127.0.0.1", plain.port, timeout=30)
        connection.request("GET", "/s/study/nothing/at/all")
        statuses[connection.getresponse().status] += 1
        connection.close()
    assert set(statuses) == {404, 429}
    assert statuses[404] <= 300 + 30 * (time.monotonic() - began) + 2
