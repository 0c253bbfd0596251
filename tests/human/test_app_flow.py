"""Raters go through a study from the link to the last page, come back, leave, and change their minds."""

import json
import re
import time
from dataclasses import replace

import pytest
from sqlalchemy import event, func, select, update
from starlette.testclient import TestClient

from study_client import Rater, assignment_of, new_study, word_items
from tealeaves.human.app import flow, pages, security, tables
from tealeaves.human.app.organiser_data import load
from tealeaves.human.app.server import create_app
from tealeaves.human.item_sets import ItemSet

JSON = {"Accept": "application/json"}


@pytest.fixture
def serve(tmp_path, database):
    """Serve a new study and give a way to open browsers on it."""
    opened = []

    def start(items=None, **settings):
        study = new_study(tmp_path, items, **settings)
        app = create_app([study.folder], database, organiser=False)
        opened.append(app)
        served = app.state.site.find("study")

        def browser():
            return Rater(TestClient(app))

        return browser, served

    yield start
    for app in opened:
        app.state.site.close()


def rows(served, query):
    with served.store.reading() as connection:
        return connection.execute(query).all()


def count(served, table):
    return rows(served, select(func.count()).select_from(table))[0][0]


def everything(served):
    """(rater, item, revision, value) of every answer."""
    a, s, r = tables.assignments, tables.answers, tables.raters
    query = select(r.c.number, a.c.item, s.c.revision, s.c.value).join(a, a.c.id == s.c.assignment_id)
    return rows(served, query.join(r, r.c.id == a.c.rater_id).order_by(s.c.id))


def test_a_rater_goes_from_consent_through_screening_practice_quiz_items_and_a_break_to_the_code(serve):
    browser, served = serve(
        word_items(6, checks=1, practice=1),
        quiz=True,
        quiz_tries=99,
        break_every=4,
        screening=[{"question": "How old are you?", "options": ["18 or older", "under 18"], "accept": [0]}],
    )
    rater = browser()
    way = []
    rater.consent()
    for _ in range(60):
        way.append(rater.at.partition("/")[0])
        if way[-1] in ("end", "thanks"):
            break
        place = len(way) % 3 if way[-1] == "quiz" else 0
        if way[-1] == "quiz":  # two questions: try all pairs of answers
            place = way.count("quiz") - 1
            pair = {"q1": str(place // 3 + 1), "q2": str(place % 3 + 1)}
            rater.send(**pair)
        elif way[-1] == "break":
            rater.get("item/5")
        else:
            rater.send(**rater.choose())
    quiz = way.count("quiz")
    items = ["item"] * 4 + ["break"] + ["item"] * 3
    assert way == ["screening", "instructions", "practice", "practice", *["quiz"] * quiz, *items, "thanks"]
    assert served.study().settings.codes["completed"] in rater.page.text
    assert len(everything(served)) == 8  # practice, check, and six items
    assert count(served, tables.raters) == 1


def test_who_does_not_fit_is_screened_out_with_a_code_of_its_own_and_takes_no_place(serve):
    browser, served = serve(screening=[{"question": "Age?", "options": ["under 18", "18"], "accept": [1]}])
    rater = browser()
    rater.consent()
    rater.send(s1="1")
    codes = served.study().settings.codes
    assert rater.at == "end"
    assert codes["screened_out"] in rater.page.text
    assert codes["completed"] not in rater.page.text
    assert count(served, tables.assignments) == 0
    rater.get("item/1")
    assert rater.at == "end"


def test_who_fails_the_quiz_too_often_comes_to_an_end_and_gives_the_places_back(serve):
    browser, served = serve(quiz=True, quiz_tries=2)
    rater = browser()
    rater.consent()
    rater.send()
    study = served.study()
    wrong = {}
    for question in pages.quiz("word_intrusion", pages.wording("en")):
        drawn = security.order(study.secret, len(question["options"]), "quiz", 1, question["name"])
        wrong[question["name"]] = str(2 if drawn[0] == question["right"] else 1)
    rater.send(**wrong)
    assert (rater.at, rater.page.status_code) == ("quiz", 422)
    assert "one more try" in rater.page.text
    rater.send(**wrong)
    assert rater.at == "end"
    assert served.study().settings.codes["screened_out"] in rater.page.text
    states = {row.state for row in rows(served, select(tables.assignments))}
    assert states == {"returned"}


def test_who_says_no_leaves_nothing_behind(serve):
    browser, served = serve()
    rater = browser()
    rater.get()
    rater.send(no="1")
    assert "Nothing about you was stored" in rater.page.text
    assert count(served, tables.raters) == count(served, tables.sessions) == 0


def test_looking_at_the_first_page_writes_nothing(serve):
    browser, served = serve()
    for _ in range(3):
        browser().get()
    assert count(served, tables.raters) == count(served, tables.sessions) == 0


def test_consent_sent_twice_by_a_double_click_is_one_rater(serve):
    browser, served = serve()
    rater = browser()
    rater.get()
    form, cookie = {**rater.forms.fields, "agree": "1", "stop": "keep"}, rater.client.cookies["tealeaves"]
    for _ in range(2):
        headers = {"Cookie": f"tealeaves={cookie}"}
        rater.client.cookies.clear()
        sent = rater.client.post(rater.forms.action, data=form, headers=headers, follow_redirects=False)
        assert sent.status_code == 303
    assert count(served, tables.raters) == 1


def test_consent_needs_a_tick_and_a_choice(serve):
    browser, served = serve()
    rater = browser()
    rater.get()
    assert rater.send().status_code == 422
    assert rater.send(agree="1").status_code == 422
    assert count(served, tables.raters) == 0


def test_every_answer_acknowledged_is_in_the_database_with_the_text_that_was_chosen(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    rater.finish()
    orders = {row.item: eval(row.order) for row in rows(served, select(tables.assignments))}
    by_id = served.study().items.by_id
    saved = everything(served)
    assert len(saved) == 6
    for _, item, revision, value in saved:
        wanted = by_id[item].options[orders[item][0]]  # the first place on the page was chosen each time
        assert f'"choice":"{wanted}"' in value
        assert revision == 1


def test_the_same_page_sent_twice_is_one_answer(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    form, action = {**rater.forms.fields, **rater.choose()}, rater.forms.action
    for _ in range(3):  # a double click, and a retry after the network was lost
        again = rater.client.post(action, data=form, headers=JSON)
        assert again.status_code == 200
        assert again.json()["saved"] is True
    assert len(everything(served)) == 1


def test_a_changed_answer_is_a_new_revision_and_the_old_one_stays(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    first = rater.at
    rater.answer(0)
    rater.get(first)
    assert "checked" in rater.page.text  # the answer that was given
    rater.answer(1)
    saved = everything(served)
    assert [row.revision for row in saved] == [1, 2]
    assert saved[0].value != saved[1].value


def test_nothing_a_rater_does_changes_or_deletes_a_saved_answer(serve):
    browser, served = serve(word_items(4, practice=1), break_every=2)
    statements = []

    def note(_connection, _cursor, statement, *_):
        statements.append(" ".join(statement.split()).lower())

    event.listen(served.store.engine, "before_cursor_execute", note)
    rater = browser()
    rater.to_items()
    first = rater.page
    rater.answer(0)
    rater.page = first  # back, and another choice
    rater.answer(1)
    rater.finish()
    rater.send(remark="done")
    flow.settle(served.study(), served.store)
    assert rater.at.startswith("thanks")
    assert sum(said.startswith("insert into answers") for said in statements) == 6
    assert not [said for said in statements if re.match("(update|delete from) answers", said)]


def test_a_page_kept_by_the_browser_can_be_changed_back_and_forth(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    fields, action = rater.forms.fields, rater.forms.action
    for place in ("1", "2", "2", "1"):  # Back without a reload sends the same key again
        rater.client.post(action, data={**fields, "choice": place, "familiarity": "most"}, headers=JSON)
    assert [row.revision for row in everything(served)] == [1, 2, 3]
    assert everything(served)[0].value == everything(served)[2].value


def test_two_tabs_are_two_revisions_of_one_answer(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    first = rater.at
    one = (rater.forms.action, {**rater.forms.fields, **rater.choose(0)})
    rater.get(first)
    two = (rater.forms.action, {**rater.forms.fields, **rater.choose(1)})
    for action, form in (one, two):
        assert rater.client.post(action, data=form, headers=JSON).json()["saved"] is True
    assert [row.revision for row in everything(served)] == [1, 2]
    assert len({row.item for row in everything(served)}) == 1


def test_an_incomplete_answer_is_not_saved_and_what_was_filled_in_stays(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    rater.send(choice="2")
    assert rater.page.status_code == 422
    assert "checked" in rater.page.text
    reply = rater.client.post(rater.forms.action, data={**rater.forms.fields, "choice": "99"}, headers=JSON)
    assert reply.status_code == 422
    assert set(reply.json()["errors"]) == {"choice", "familiarity"}
    assert everything(served) == []


def test_after_the_end_nothing_changes_any_more_but_a_retry_is_told_that_it_was_saved(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    form, action = {**rater.forms.fields, **rater.choose()}, rater.forms.action
    rater.finish()
    assert rater.at == "thanks"
    assert rater.client.post(action, data=form, headers=JSON).json()["saved"] is True
    late = rater.client.post(action, data={**form, "choice": "2", "idempotency": "new"}, headers=JSON)
    assert late.status_code == 409
    assert len(everything(served)) == 6


def test_with_an_expired_session_the_answer_is_refused_and_with_the_resume_link_sent_again(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    rater.answer()
    rater.get("pause")
    (link,) = (link for link in rater.forms.links if "resume" in link)
    form_page = rater.get("next")
    form = {**rater.forms.fields, **rater.choose()}
    action = rater.forms.action
    with served.store.writing() as connection:
        connection.execute(update(tables.sessions).values(expires_at=time.time() - 1))
    refused = rater.client.post(action, data=form, headers=JSON)
    assert refused.status_code in (401, 403)
    assert len(everything(served)) == 1
    rater.get(link.partition(rater.url())[2])
    assert "Welcome back" in rater.page.text
    rater.get("next")
    assert rater.page.url == form_page.url
    form["csrf"] = rater.forms.fields["csrf"]
    assert rater.client.post(action, data=form, headers=JSON).json()["saved"] is True
    assert len(everything(served)) == 2


def test_an_unknown_resume_link_is_no_page(serve):
    browser, _ = serve()
    assert browser().get("resume/abc").status_code == 404


def test_who_withdraws_and_wants_it_has_everything_deleted(serve):
    browser, served = serve(platform="prolific")
    rater = browser()
    rater.to_items(query="?PROLIFIC_PID=5f0abc1230000000000000aa&STUDY_ID=s&SESSION_ID=t")
    rater.answer()
    rater.get("withdraw")
    rater.send(stop="delete")
    assert "are deleted" in rater.page.text
    assert served.study().settings.codes["withdrew"] in rater.page.text
    for table in (tables.answers, tables.assignments, tables.platform_ids, tables.events):
        assert count(served, table) == 0
    if served.store.engine.dialect.name == "sqlite":
        folder = served.folder
        assert b"5f0abc123" not in b"".join(path.read_bytes() for path in folder.glob("study.db*"))
    rater.get("?PROLIFIC_PID=5f0abc1230000000000000aa&STUDY_ID=s&SESSION_ID=t")
    assert rater.at == "end"  # known by the keyed hash, and given no second place


def test_who_withdraws_and_does_not_mind_leaves_the_answers(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    rater.answer()
    rater.get("withdraw")
    rater.send(stop="keep")
    assert "are kept" in rater.page.text
    assert len(everything(served)) == 1
    states = [row.state for row in rows(served, select(tables.assignments))]
    assert sorted(states) == ["done", *["returned"] * 5]


def test_the_same_platform_id_comes_back_to_the_same_place_from_any_browser(serve):
    browser, served = serve(platform="prolific")
    link = "?PROLIFIC_PID=5f0000000000000000000abc&STUDY_ID=s&SESSION_ID=t"
    rater = browser()
    rater.to_items(query=link)
    rater.answer()
    place = rater.at
    other = browser()
    other.get(link)
    assert "Welcome back" in other.page.text
    assert "5f00000" not in str(other.page.url)
    other.get("next")
    assert other.at == place
    assert count(served, tables.raters) == 1


def test_another_session_of_the_platform_with_a_known_id_is_let_in_nowhere(serve):
    browser, served = serve(platform="prolific")
    begun = "?PROLIFIC_PID=5f0000000000000000000abc&STUDY_ID=s&SESSION_ID=t"
    early = browser()  # opens the consent form before the rater begins, and sends it afterwards
    early.get(begun.replace("SESSION_ID=t", "SESSION_ID=early"))
    form = early.page
    rater = browser()
    rater.to_items(query=begun)
    rater.answer()
    place = rater.at
    for query in (begun.replace("=t", "=other"), begun.replace("&SESSION_ID=t", "")):
        other = browser()
        other.get(query)
        assert "You have taken part already" in other.page.text
        assert other.get("withdraw").status_code == 404
        other.get(query)
    early.page = form
    early.send(agree="1", stop="delete")
    assert "You have taken part already" in early.page.text
    rater.get("next")
    assert rater.at == place
    assert count(served, tables.raters) == 1


@pytest.mark.parametrize(
    ("platform", "link", "others", "wrong"),
    [
        (
            "prolific",
            "?PROLIFIC_PID=5f0000000000000000000abc&SESSION_ID=t",
            ["5F0000000000000000000ABC", "5f0000000000000000000abc%20", "%095f0000000000000000000Abc"],
            ["5f0000000000000000000abcd", "5f0000000000000000000ab", "5f0000000000000000000abx", "one"],
        ),
        ("mturk", "?workerId=A2X&assignmentId=t", ["a2x", "A2X%20"], ["A2-X", "A2%C3%A9", "A" * 65]),
    ],
)
def test_an_id_of_the_platform_is_the_same_however_it_is_written(serve, platform, link, others, wrong):
    browser, served = serve(platform=platform)
    rater = browser()
    rater.to_items(query=link)
    rater.answer()
    given = link.partition("=")[2].partition("&")[0]
    for written in others:
        again = browser()
        again.get(link.replace(given, written))
        assert "Welcome back" in again.page.text, written
    for written in wrong:
        assert browser().get(link.replace(given, written)).status_code == 404, written
    assert count(served, tables.raters) == 1


def test_who_takes_part_learns_the_number_by_which_to_be_forgotten(serve):
    browser, _ = serve(contact="anna@example.org")
    rater = browser()
    rater.to_items()
    said = 'Your answers are kept under the number <span class="whole">R-001</span>.'
    for page in ("pause", "withdraw"):
        assert said in rater.get(page).text
        assert "write to anna@example.org and name it" in re.sub("<.*?>", "", rater.page.text)
    rater.get("next")
    rater.finish()
    assert said in rater.page.text
    gone = browser()
    gone.to_items()
    gone.answer()
    gone.get("withdraw")
    gone.send(stop="keep")
    assert 'under the number <span class="whole">R-002' in gone.page.text


def test_a_platform_s_study_is_closed_to_who_comes_without_an_id(serve):
    browser, served = serve(platform="prolific")
    assert browser().get().status_code == 404
    assert browser().get("?PROLIFIC_PID=&STUDY_ID=x").status_code == 404
    assert browser().get("?PROLIFIC_PID=" + "x" * 500).status_code == 404
    assert count(served, tables.raters) == 0


def test_prolific_s_id_is_kept_apart_and_the_last_page_leads_back(serve):
    browser, served = serve(platform="prolific", codes={"completed": "C1AB23"})
    rater = browser()
    rater.to_items(query="?PROLIFIC_PID=5f0000000000000000000abc&STUDY_ID=s&SESSION_ID=t")
    rater.finish()
    assert "https://app.prolific.com/submissions/complete?cc=C1AB23" in rater.forms.links
    kept = rows(served, select(tables.platform_ids))[0]
    assert (kept.platform, kept.external) == ("prolific", "5f0000000000000000000abc")
    assert kept.details == '{"STUDY_ID": "s", "SESSION_ID": "t"}'
    for table in (tables.raters, tables.assignments, tables.answers, tables.sessions, tables.events):
        assert "5f00000" not in str([tuple(row)[3:] for row in rows(served, select(table))])


def test_links_as_mturk_has_them_work_and_its_preview_begins_nothing(serve):
    browser, served = serve(platform="mturk")
    preview = browser()
    preview.get("?workerId=&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=h")
    assert preview.page.status_code == 200
    assert preview.send(agree="1", stop="keep").status_code == 403
    rater = browser()
    rater.to_items(query="?workerId=W1&assignmentId=A1&hitId=H1")
    rater.finish()
    assert served.study().settings.codes["completed"] in rater.page.text
    assert rows(served, select(tables.platform_ids))[0].external == "W1"


def test_a_full_study_says_so_with_its_code(serve):
    browser, served = serve(answers_per_item=1)
    first = browser()
    first.to_items()
    late = browser()
    late.consent()
    assert (late.at, "No place at the moment" in late.page.text) == ("wait", True)
    assert late.get("next").url.path.endswith("/wait")  # whoever holds the places may yet leave
    first.finish()
    late.get()
    assert late.at == "end"
    assert served.study().settings.codes["full"] in late.page.text


def test_when_the_time_limit_is_over_the_rater_comes_to_an_end(serve):
    browser, served = serve(time_limit_minutes=10)
    rater = browser()
    rater.to_items()
    rater.answer()
    with served.store.writing() as connection:
        long_ago = time.time() - 601
        connection.execute(update(tables.raters).values(created_at=long_ago, placed_at=long_ago))
    rater.answer()
    assert rater.at == "end"
    assert served.study().settings.codes["timed_out"] in rater.page.text
    assert len(everything(served)) == 1


def test_who_stays_away_gives_items_back_and_gets_free_ones_on_return(serve):
    browser, served = serve(word_items(4), answers_per_item=1)
    away = browser()
    away.to_items()
    away.answer()
    with served.store.writing() as connection:
        connection.execute(update(tables.raters).values(lease_until=time.time() - 1))
    other = browser()
    other.to_items()
    other.answer()  # of the three that were returned
    other.get("withdraw")
    other.send(stop="keep")
    away.get("next")
    assert away.at.startswith("item/")
    away.finish()
    saved = [row.item for row in everything(served)]
    assert sorted(saved) == ["i0000", "i0001", "i0002", "i0003"]  # each once, as the quota has it


def test_who_comes_back_when_all_is_taken_has_timed_out(serve):
    browser, served = serve(word_items(4), answers_per_item=1)
    away = browser()
    away.to_items()
    away.answer()
    form, action = {**away.forms.fields, **away.choose()}, away.forms.action
    with served.store.writing() as connection:
        connection.execute(update(tables.raters).values(lease_until=time.time() - 1))
    other = browser()
    other.to_items()
    other.finish()
    late = away.client.post(action, data=form, headers=JSON)
    assert late.status_code == 409
    away.get("next")
    assert served.study().settings.codes["timed_out"] in away.page.text
    assert len(everything(served)) == 4


def test_an_answer_after_the_lease_counts_if_nobody_took_the_item(serve):
    browser, served = serve(word_items(3), answers_per_item=1)
    rater = browser()
    rater.to_items()
    with served.store.writing() as connection:
        connection.execute(update(tables.raters).values(lease_until=time.time() - 1))
    rater.finish()
    assert rater.at == "thanks"
    assert len(everything(served)) == 3


def test_raters_at_work_finish_a_paused_study_and_nobody_begins(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    served.study().move("paused")
    late = browser()
    late.get()
    assert "not open" in late.page.text
    rater.finish()
    assert rater.at == "thanks"
    assert len(everything(served)) == 6


def test_a_closed_study_takes_no_answer(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    rater.answer()
    served.study().move("closed")
    rater.answer()
    assert rater.at == "end"
    assert len(everything(served)) == 1


def test_a_draft_can_be_tried_out_and_is_thrown_away_when_the_study_begins(serve):
    browser, served = serve(state="draft")
    tried = browser()
    tried.to_items()
    tried.finish()
    served.study().move("live")
    browser().to_items()
    numbers = rows(served, select(tables.raters.c.phase))
    assert [row.phase for row in numbers] == ["live"]
    assert everything(served) == []
    assert tried.get("item/1").status_code == 200  # asked for consent like anybody else
    assert tried.at == ""


def test_answers_of_the_pilot_take_no_place_of_the_study(serve):
    browser, served = serve(word_items(2), state="pilot", answers_per_item=1)
    first = browser()
    first.to_items()
    first.finish()
    served.study().move("live")
    second = browser()
    second.to_items()
    second.finish()
    assert [(row.phase, row.number) for row in rows(served, select(tables.raters))] == [
        ("pilot", 1),
        ("live", 2),
    ]
    assert len(everything(served)) == 4


def test_raters_who_never_come_back_are_ended_and_deleted_if_they_wished_so(serve):
    browser, served = serve(answers_per_item=9)
    for stop in ("keep", "delete"):
        rater = browser()
        rater.to_items(stop)
        rater.answer()
    study = served.study()
    assert flow.settle(study, served.store) == 0
    assert flow.settle(study, served.store, now=time.time() + 25 * 3600) == 2
    assert [row.number for row in everything(served)] == [1]
    ended = rows(
        served, select(tables.raters.c.ended, tables.raters.c.erased_at).order_by(tables.raters.c.number)
    )
    assert [(row.ended, row.erased_at is None) for row in ended] == [
        ("timed_out", True),
        ("timed_out", False),
    ]


def test_practice_tells_what_would_have_been_right_and_items_do_not(serve):
    browser, _ = serve(word_items(2, practice=1))
    rater = browser()
    rater.consent()
    rater.send()
    assert rater.at == "practice/1"
    rater.send(**rater.choose())
    assert "yyypractice0 is another thing." in rater.page.text
    rater.send()
    rater.answer()
    assert "is another thing" not in rater.page.text


def test_seconds_are_what_the_browser_saw_but_no_more_than_the_page_was_out(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    rater.answer(seconds="0.001")
    rater.answer(seconds="86400")
    rater.answer(seconds="nan")
    forged = rater.forms.fields
    rater.send(**rater.choose(), started="0." + forged["started"].partition(".")[2], seconds="5")
    seconds = [row.seconds for row in rows(served, select(tables.answers).order_by(tables.answers.c.id))]
    assert seconds[0] == 0.001
    assert seconds[1] < 60
    assert seconds[2] < 60
    assert seconds[3] is None


def test_a_form_of_another_rater_is_answered_like_one_that_never_was(serve):
    browser, served = serve()
    one, two = browser(), browser()
    one.to_items()
    two.to_items()
    foreign = assignment_of(one.page.text)
    for token in (foreign, "0" * 40, ""):
        form = {**two.forms.fields, **two.choose(), "assignment": token}
        reply = two.client.post(two.forms.action, data=form, headers=JSON)
        assert (reply.status_code, reply.json()["saved"]) == (409, False)
    assert everything(served) == []


def test_a_remark_at_the_end_is_kept(serve):
    browser, served = serve()
    rater = browser()
    rater.to_items()
    rater.finish()
    rater.send(remark="The words were odd \x00 <b>")
    assert "got your note" in rater.page.text
    kinds = [row.kind for row in rows(served, select(tables.events))]
    assert kinds == ["remark"]


def test_a_rater_of_a_pilot_whose_items_are_replaced_goes_on_with_those_that_are_left(serve):
    browser, served = serve(word_items(4), state="pilot", answers_per_item=1, break_every=1)
    rater = browser()
    rater.to_items()
    [gone] = rows(served, select(tables.assignments.c.item).where(tables.assignments.c.position == 1))[0]
    left = [item for item in served.study().items if item.id != gone]
    served.study().replace_items(ItemSet("word_intrusion", left))
    assert rater.get("item/1").status_code == 404
    rater.get("next")
    rater.finish()
    assert rater.at == "thanks"
    assert sorted(item for _, item, _, _ in everything(served)) == sorted(item.id for item in left)


def test_an_item_of_a_pilot_that_has_other_options_by_now_is_gone_for_who_held_the_one_before(serve):
    browser, served = serve(word_items(3), state="pilot")
    rater = browser()
    rater.to_items()
    changed = [replace(item, options=(*item.options, "more")) for item in word_items(2)]
    served.study().replace_items(ItemSet("word_intrusion", [*changed, word_items(3)[2]]))
    rater.send(**rater.choose())
    assert rater.page.status_code == 200
    rater.finish()
    assert rater.at == "thanks"
    assert {item for _, item, _, _ in everything(served)} == {"i0002"}


def test_an_answer_before_an_item_of_a_pilot_got_more_options_is_still_listed(serve):
    browser, served = serve(word_items(2), state="pilot", answers_per_item=9)
    rater = browser()
    rater.to_items()
    rater.answer(0)
    [(_, name, _, value)] = everything(served)
    chosen = json.loads(value)["choice"]
    made = [
        replace(item, options=("more", *(o for o in item.options if o != chosen), chosen))
        if item.id == name
        else item
        for item in word_items(2)
    ]
    study = served.study().replace_items(ItemSet("word_intrusion", made))
    [row] = load(study, served.store, time.time()).answers
    assert (row["value"]["choice"], row["position"]) == (chosen, None)
