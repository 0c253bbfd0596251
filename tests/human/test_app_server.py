"""The real server, with two workers: races for places, kills under load, many raters."""

import asyncio
import json
from collections import Counter

import httpx
import pytest
from sqlalchemy import select

from study_client import new_study, word_items
from study_load import AsyncRater, Crowd, Server
from tealeaves.human.app import answering, store


def saved(study, database=None):
    """(assignment token, key, value, item, rater) of every answer in the database."""
    opened = store.Store.open(study, database)
    a, s = store.assignments, store.answers
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
    assert "locked" not in server.log.read_text("utf-8")


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
    assert "locked" not in server.log.read_text("utf-8")


@pytest.mark.slow
def test_forty_thinking_raters_are_all_served_without_an_error(tmp_path, database):
    study = new_study(tmp_path, word_items(8), answers_per_item=999, break_every=0)
    crowd = Crowd()
    with Server(study.folder, 2, database) as server:
        asyncio.run(crowd_of(40, server.url, crowd, think=1.0, most=5))
    assert set(crowd.statuses) <= {200, 303}  # how quick they were is measured by bench.study, not here
    assert len(saved(study, database)) == len(crowd.acknowledged) == 200
    assert "locked" not in server.log.read_text("utf-8")


def test_the_server_ends_when_it_is_told_to_and_the_file_holds_everything(tmp_path):
    study = new_study(tmp_path, word_items(2), answers_per_item=9)
    crowd = Crowd()
    server = Server(study.folder, 1).start()
    asyncio.run(crowd_of(1, server.url, crowd))
    server.process.terminate()
    assert server.process.wait(15) is not None
    server.kill()
    assert len(saved(study)) == 2
