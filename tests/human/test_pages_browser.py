"""Raters' pages in a real browser: by keyboard, by touch, without a script, without a connection."""

import pytest

from browsing import DESK, PHONE, Served, flaws
from human.preview import ANSWERS, DOCUMENTS, ITEMS, Sample, create_preview, page_contexts
from tealeaves.human.app import pages, tables

TASKS = list(pages.TASKS)
NAMES = list(page_contexts(pages.wording("en")))


@pytest.fixture(scope="module")
def shared():
    pytest.importorskip("uvicorn")
    served = Served(create_preview())
    yield served
    served.close()


@pytest.fixture
def preview(serve):
    return lambda **options: serve(create_preview(**options))


@pytest.mark.slow
@pytest.mark.parametrize("language", pages.languages())
def test_no_page_breaks_a_rule_of_axe_or_is_too_wide_with_everything_opened(visit, shared, language):
    page, found = visit(shared.url), []
    for name in NAMES:
        page.goto(f"{shared.url}/page/{name}?lang={language}")
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        found += [(name, *flaw) for flaw in flaws(page)]
        if page.locator("#help").count():
            page.evaluate("document.getElementById('help').showPopover()")
            found += [(name, "help", *flaw) for flaw in flaws(page)]
    assert found == []
    assert [fault for fault in page.faults if "404" not in fault] == []


@pytest.mark.parametrize("language", pages.languages())
@pytest.mark.parametrize("name", ["item-word_intrusion", "quiz-again", "thanks"])
def test_a_few_pages_quickly(visit, shared, name, language):
    assert flaws(visit(f"{shared.url}/page/{name}?lang={language}")) == []


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_everything_that_can_be_pressed_is_large_enough(visit, shared, screen):
    page = visit(f"{shared.url}/item/{TASKS[0]}", **screen)
    small = []
    for name in [n for n in NAMES if n.startswith("item-")] + ["consent", "thanks", "withdraw", "quiz"]:
        page.goto(f"{shared.url}/page/{name}")
        small += page.evaluate(
            """least => [...document.querySelectorAll('.btn, .card, .tick, summary, [type=text], .foot a')]
                .filter(e => e.offsetParent && !e.closest('.help'))
                .filter(e => e.getBoundingClientRect().height < (e.closest('.docs') ? least : 44) - .5)
                .map(e => e.outerHTML.slice(0, 120))""",
            44 if screen is PHONE else 36,
        )
    assert small == []


def test_every_task_is_answered_by_keyboard_alone(visit, preview):
    served = preview()
    page = visit(f"{served.url}/item/{TASKS[0]}")
    for task in TASKS:
        page.wait_for_url(f"**/item/{task}")
        page.wait_for_selector("html.js")
        by_key = {"0.5": "5"} if task == "topic_pair_matching" else {}
        for field, value in ANSWERS[task].items():
            box = page.locator(f"[name={field}]:not([type=hidden])").first
            if box.get_attribute("type") == "text":
                tab_to(page, field)
                page.keyboard.type(value)
                page.keyboard.press("Tab")
            elif field == "choice" and task == "temporal_word_intrusion":
                tab_to(page, field)
                page.keyboard.press("Space")
                while page.evaluate("document.activeElement.value") != value:
                    page.keyboard.press("ArrowRight")
            else:
                wanted = page.locator(f"[name={field}][value='{value}']")
                page.keyboard.press(wanted.get_attribute("data-press") or by_key[value])
        page.keyboard.press("Enter")
    page.wait_for_url("**/page/thanks")
    assert [(task, value) for task, _, value in served.state.saved] == [
        (task, pages.TASKS[task].parse(ANSWERS[task], ITEMS[task], list(range(len(ITEMS[task].options)))))
        for task in TASKS
    ]
    assert page.faults == []


def tab_to(page, field):
    for _ in range(80):
        if page.evaluate("document.activeElement.name") == field:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{field} cannot be reached by Tab")


def test_tab_reaches_the_question_first_by_the_skip_link_and_every_stop_is_seen(visit, shared):
    page = visit(f"{shared.url}/item/word_intrusion")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    stops = []
    for _ in range(9):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate(
                """() => { const e = document.activeElement, s = getComputedStyle(e.closest('.card') || e);
                    const name = e.name || e.textContent.trim().slice(0, 4);
                    return [name, s.outlineStyle, parseFloat(s.outlineWidth) >= 2]; }"""
            )
        )
    assert [name for name, *_ in stops[:4]] == ["choice", "familiarity", "Back", "Save"]
    assert all(style == "solid" and wide for _, style, wide in stops[:6])


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_every_task_is_answered_without_javascript(visit, preview, screen):
    served = preview()
    page = visit(f"{served.url}/item/{TASKS[0]}", java_script_enabled=False, **screen)
    for task in TASKS:
        assert page.url.endswith(f"/item/{task}")
        fill(page, task)
        page.locator("form .btn.primary").click()
    assert page.url.endswith("/page/thanks")
    assert [task for task, *_ in served.state.saved] == TASKS
    assert {form["seconds"] for _, form, _ in served.state.saved} == {""}


def fill(page, task, answers=ANSWERS, but=()):
    for field, value in answers[task].items():
        if field in but:
            continue
        box = page.locator(f"[name={field}]:not([type=hidden])").first
        if box.get_attribute("type") == "text":
            box.fill(value)
        else:
            page.locator(f"[name={field}][value='{value}']").first.check(force=True)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_missing_answer_is_said_and_what_was_given_is_kept(visit, preview, scripts):
    served = preview()
    page = visit(
        f"{served.url}/item/topic_pair_matching", java_script_enabled=scripts, reduced_motion="reduce", **DESK
    )
    fill(page, "topic_pair_matching", but=["label"])
    if not scripts:  # past the browser's own check, to that of the server
        page.locator("[name=label]").first.evaluate_all("all => all.forEach(e => e.form.noValidate = true)")
    page.locator("form .btn.primary").click()
    page.get_by_text("Say whether A and B are about the same thing.").last.wait_for()
    assert page.locator("[name=name_a]").input_value() == "baking"
    if not scripts:
        assert page.locator("#errors").is_visible()
        assert page.title().startswith("Please check: ")
        page.locator("#errors a").first.click()
        assert page.url.endswith("#label-1")
    else:
        assert page.evaluate("document.activeElement.name") == "label"
        assert page.locator("fieldset[aria-describedby=error-label]").count() == 1
    page.locator("[name=label][value='1']").check(force=True)
    page.locator("form .btn.primary").click()
    page.wait_for_url("**/item/topic_labelling")
    assert served.state.saved[0][2] == {"label": 1, "names": ["baking", "grain"]}


def test_errors_that_only_the_server_sees_are_shown_at_their_fields(visit, preview):
    served = preview()
    page = visit(f"{served.url}/item/word_intrusion")
    fill(page, "word_intrusion")
    page.evaluate("document.querySelector('[name=choice]:checked').value = '99'")
    page.locator("form .btn.primary").click()
    page.locator("#error-choice").get_by_text("Choose an answer.").wait_for()
    assert page.locator("#state").inner_text().endswith("Not saved: please look at the message")
    assert served.state.saved == []


def test_double_clicks_and_held_keys_save_once(visit, preview):
    served = preview()
    served.state.delay = 0.3
    page = visit(f"{served.url}/item/word_intrusion")
    fill(page, "word_intrusion")
    page.locator("form .btn.primary").dblclick()
    for _ in range(3):
        page.keyboard.press("Enter")
    page.wait_for_url("**/item/topic_intrusion")
    assert len(served.state.tries) == 1


def wait_until_sent(page):
    for _ in range(100):
        if page.evaluate("Object.keys(localStorage).length") == 0:
            return
        page.wait_for_timeout(100)
    raise AssertionError("an answer still waits")


def test_an_answer_waits_until_the_server_has_it_and_counts_once(visit, preview):
    served = preview()
    served.state.faults = [503, 502]
    page = visit(f"{served.url}/item/word_intrusion")
    fill(page, "word_intrusion")
    page.locator("form .btn.primary").click()
    page.get_by_text("The server is busy.").wait_for()
    assert page.locator("#state").inner_text().endswith("Not saved yet: 1 answer waits")
    page.wait_for_url("**/item/topic_intrusion", timeout=15000)
    assert len(served.state.tries) == 3
    assert len({form["idempotency"] for form in served.state.tries}) == 1
    assert len(served.state.saved) == 1
    assert page.evaluate("Object.keys(localStorage).length") == 0


def test_an_answer_changed_before_it_was_confirmed_comes_as_another(visit, preview):
    served = preview()
    served.state.faults = [503]
    page = visit(f"{served.url}/item/word_intrusion")
    fill(page, "word_intrusion")
    page.locator("form .btn.primary").click()
    page.get_by_text("The server is busy.").wait_for()
    page.keyboard.press("2")
    page.locator("form .btn.primary").click()
    page.wait_for_url("**/item/topic_intrusion")
    first, again, second = served.state.tries
    assert first["idempotency"] == again["idempotency"] != second["idempotency"]
    assert [value["choice"] for _, _, value in served.state.saved] == ["violin", "flour"]


def test_one_goes_on_without_a_connection_and_nothing_is_lost(visit, preview):
    served = preview(ahead=True)
    page = visit(f"{served.url}/item/word_intrusion")
    with page.expect_response("**/item/word_set_intrusion"):
        pass
    page.wait_for_timeout(200)
    page.context.set_offline(True)
    fill(page, "word_intrusion")
    page.keyboard.press("Enter")
    page.wait_for_url("**/item/topic_intrusion")
    assert page.locator("#state").inner_text().endswith("Not saved yet: no connection; 1 answer waits")
    assert page.get_by_text("1 answer is kept on this device.").is_visible()
    assert page.get_by_text("There is no connection, but you can go on answering.").is_visible()
    assert page.evaluate("document.activeElement.tagName") == "H1"
    fill(page, "topic_intrusion")
    page.keyboard.press("Enter")
    page.get_by_text("2 answers are kept on this device").wait_for()
    assert served.state.saved == []
    page.context.set_offline(False)
    wait_until_sent(page)
    assert [task for task, *_ in served.state.saved] == ["word_intrusion", "topic_intrusion"]
    page.locator("#offline").wait_for(state="hidden")
    assert page.locator("#state").inner_text().startswith("Saved ")


def test_an_answer_is_sent_after_the_page_was_closed_without_a_connection(visit, preview):
    served = preview()
    page = visit(f"{served.url}/item/word_intrusion")
    page.context.set_offline(True)
    fill(page, "word_intrusion")
    page.keyboard.press("Enter")
    page.get_by_text("1 answer is kept on this device").wait_for()
    context = page.context
    page.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(f"{served.url}/item/word_set_rating")
    wait_until_sent(again)
    assert [(task, value["choice"]) for task, _, value in served.state.saved] == [
        ("word_intrusion", "violin")
    ]
    assert again.url.endswith("/item/word_set_rating")


def test_after_the_session_has_ended_the_answer_is_kept_for_the_next_page(visit, preview):
    served = preview()
    served.state.faults = [403]
    page = visit(f"{served.url}/item/word_intrusion")
    fill(page, "word_intrusion")
    page.keyboard.press("Enter")
    page.get_by_text("Open the study again by the link you were given").wait_for()
    page.goto(f"{served.url}/item/word_set_rating")
    wait_until_sent(page)
    assert len(served.state.saved) == 1


def test_what_the_server_will_never_take_is_posted_plainly_so_that_it_can_say_why(visit, preview):
    served = preview()
    served.state.faults = [409]
    page = visit(f"{served.url}/item/word_intrusion")
    fill(page, "word_intrusion")
    page.keyboard.press("Enter")
    page.wait_for_url("**/item/topic_intrusion")  # the second time the preview takes it
    assert len(served.state.tries) == 2
    assert page.evaluate("Object.keys(localStorage).length") == 0


def test_the_next_page_comes_without_delay_and_back_leads_back(visit, preview):
    served = preview(ahead=True)
    page = visit(f"{served.url}/item/word_intrusion")
    with page.expect_response("**/item/word_set_intrusion"):
        pass
    page.wait_for_timeout(200)
    fill(page, "word_intrusion")
    page.evaluate("window.same = true")
    page.keyboard.press("Enter")
    page.wait_for_url("**/item/topic_intrusion")
    assert page.evaluate("window.same")
    assert page.title().startswith("Question 12 of 40")
    assert page.locator("#state").inner_text().startswith("Saved ")
    page.go_back()
    page.wait_for_url("**/item/word_intrusion")
    page.get_by_role("heading", name="Which word does not belong").wait_for()


def test_time_counts_while_the_page_is_seen(visit, preview):
    served = preview()
    page = visit(f"{served.url}/item/word_intrusion")
    fill(page, "word_intrusion")
    turn = """hidden => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
        document.dispatchEvent(new Event('visibilitychange')); return performance.now() / 1000; }"""
    since = page.evaluate(turn, True)
    page.wait_for_timeout(1500)
    away = page.evaluate(turn, False) - since
    page.wait_for_timeout(300)
    whole = page.evaluate("performance.now() / 1000")
    page.keyboard.press("Enter")
    page.wait_for_url("**/item/topic_intrusion")
    seen = float(served.state.saved[0][1]["seconds"])
    assert away > 1.4
    assert 0.3 <= seen < whole - away + 0.5


def test_a_draft_outlives_a_reload(visit, preview):
    page = visit(f"{preview().url}/item/topic_pair_matching")
    page.locator("[name=name_a]").fill("baking")
    page.keyboard.press("Tab")
    page.keyboard.press("5")
    page.reload()
    assert page.locator("[name=name_a]").input_value() == "baking"
    assert page.locator("[name=label]:checked").get_attribute("value") == "0.5"


def test_keys_rest_in_text_fields_in_the_help_and_when_switched_off(visit, shared):
    page = visit(f"{shared.url}/item/topic_labelling")
    page.locator("[name=label]").focus()
    page.keyboard.type("n 1")
    assert page.locator("[name=label]").input_value() == "n 1"
    assert page.locator(":checked:not(#keys)").count() == 0
    page.keyboard.press("Tab")
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Help").is_visible()
    assert page.evaluate("document.activeElement.id") == "help-title"
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0
    assert page.locator(":checked:not(#keys)").count() == 0
    page.locator("#keys").uncheck()
    page.keyboard.press("1")
    assert page.locator(":checked").count() == 0
    page.reload()
    assert not page.locator("#keys").is_checked()
    assert page.locator("kbd:visible").count() == 0
    page.locator("#keys").check()
    page.keyboard.press("1")
    assert page.locator("[name=sure]:checked").count() == 1


def test_a_word_at_several_times_is_one_answer(visit, shared):
    page = visit(f"{shared.url}/item/temporal_word_intrusion")
    page.locator("label.card", has_text="fridge").first.click()
    assert page.locator(".card.twin").count() == 3
    assert page.locator("[name=choice]:checked").count() == 1
    page.locator("label.card", has_text="harbour").click()
    assert page.locator(".card.twin").count() == 0


def hostile_items():
    bad = [
        "<script>alert(1)</script>",
        "w" * 1000,
        "שלום\u202e-abc",
        "👩🏽‍🚒🔥",
        "\"'&<>{{7*7}}",
        " ",
        "مرحبا بالعالم",
    ]
    texts = [{"title": bad[1], "text": "x" * 100_000 + " " + "word " * 20_000}, *DOCUMENTS]
    slices = [{"label": bad[1][:60], "words": [*bad, "z"]} for _ in range(5)]
    shown = {
        "topic_intrusion": {"title": bad[0], "text": texts[0]["text"]},
        "topic_word_matching": {"before": bad[1], "word": bad[0], "after": bad[2]},
        "temporal_word_intrusion": {"slices": slices},
        "word_set_rating": {"words": bad},
        "temporal_rating": {"slices": slices},
        "topic_pair_matching": {
            "first": {"words": bad, "documents": texts},
            "second": {"words": bad, "documents": texts},
        },
        "topic_labelling": {"words": bad, "documents": texts},
    }
    return {
        task: Sample(task, tuple(bad) if ITEMS[task].options else (), shown.get(task, {}))
        for task in pages.TASKS
    }


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_hostile_words_run_nothing_and_fit_the_page(visit, preview, screen):
    served = preview(hostile=hostile_items())
    page = visit(f"{served.url}/item/{TASKS[0]}", **screen)
    alerts = []
    page.on("dialog", lambda d: (alerts.append(d.message), d.dismiss()))
    for task in TASKS:
        page.goto(f"{served.url}/item/{task}")
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= screen["viewport"]["width"], task
        assert page.evaluate("document.querySelectorAll('script').length") == 1
        outside = page.evaluate(
            """() => [...document.querySelectorAll('.says, .chips li, .slices li, .inline li, summary span')]
                .filter(e => e.scrollWidth > e.parentElement.getBoundingClientRect().width + 1)
                .map(e => e.outerHTML.slice(0, 80))"""
        )
        assert outside == [], task
    assert alerts == []
    assert page.faults == []


def test_the_completion_code_is_copied(visit, shared):
    page = visit(f"{shared.url}/page/thanks")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the code").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "C1AB23DE"
    assert page.get_by_role("link", name="Return to the platform").is_visible()


def test_radio_buttons_are_named_and_grouped_for_screen_readers(visit, shared):
    page = visit(f"{shared.url}/item/word_intrusion")
    group = page.get_by_role("group", name="Which word does not belong with the others?")
    assert group.get_by_role("radio", name="violin", exact=True).count() == 1
    assert (
        page.get_by_role("group", name="How well do you know these words?").get_by_role("radio").count() == 3
    )
    assert page.get_by_role("progressbar", name="12 of 40").count() == 1
    page.goto(f"{shared.url}/item/temporal_word_intrusion")
    assert page.get_by_role("radio", name="harbour 1990", exact=True).count() == 1


def test_motion_is_only_where_it_is_not_unwanted(visit, shared):
    page = visit(f"{shared.url}/item/word_intrusion", reduced_motion="reduce", **DESK)
    moving = "getComputedStyle(document.querySelector('.card')).transitionDuration"
    assert page.evaluate(moving) == "0s"
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_an_answer_that_another_session_left_holds_up_nothing(visit, preview):
    served = preview()
    page = visit(f"{served.url}/item/word_intrusion")
    served.state.faults = [403]
    fill(page, "word_intrusion")
    page.keyboard.press("Enter")
    page.get_by_text("Open the study again by the link you were given").wait_for()
    served.state.faults = [403] * 2  # when the next page opens, and when its answer is saved
    page.goto(f"{served.url}/item/word_set_rating")
    fill(page, "word_set_rating")
    page.keyboard.press("Enter")
    page.wait_for_url("**/item/temporal_rating")
    assert page.locator("#offline").is_hidden()
    assert "word_set_rating" in [task for task, *_ in served.state.saved]


def test_an_answer_being_changed_is_not_left_when_the_one_before_is_confirmed(visit, preview):
    served = preview()
    page = visit(f"{served.url}/item/word_intrusion")
    page.context.set_offline(True)
    fill(page, "word_intrusion")
    page.keyboard.press("Enter")
    page.get_by_text("1 answer is kept on this device").wait_for()
    page.keyboard.press("2")
    page.context.set_offline(False)
    wait_until_sent(page)
    assert page.url.endswith("/item/word_intrusion")
    page.keyboard.press("Enter")
    page.wait_for_url("**/item/topic_intrusion")
    assert [value["choice"] for _, _, value in served.state.saved] == ["violin", "flour"]


@pytest.fixture
def study(tmp_path, serve):
    """A real study with everything in it, served by the real application."""
    from study_client import new_study, word_items
    from tealeaves.human.app.server import create_app

    served = []

    def go(**settings):
        made = new_study(tmp_path, word_items(6, checks=1, practice=1), **settings)
        app = create_app([made.folder], None, organiser=False)
        served.append((serve(app), app))
        return served[-1][0].url + "/s/study/", app.state.site.find("study")

    yield go
    for running, app in served:
        running.close()
        app.state.site.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_rater_goes_through_a_whole_study(visit, study, scripts):
    asked = {"question": "How old are you?", "options": ["18 or older", "under 18"], "accept": [0]}
    url, served = study(quiz=True, break_every=4, screening=[asked])
    page = visit(url, java_script_enabled=scripts, **(DESK if scripts else PHONE))

    def on(heading, **answers):
        page.get_by_role("heading", level=1, name=heading).wait_for()
        for field, value in answers.items():
            page.locator(f"[name={field}][value='{value}']").check(force=True)
        page.locator("main .btn.primary").first.click()

    on("", agree="1", stop="keep")
    on("Before you start", **{page_field(page): "1"})
    on("How it works")
    page.get_by_text("Practice 1 of 1").wait_for()
    on("Which word does not belong", choice="2", familiarity="most")
    page.get_by_text("Right").or_(page.get_by_text("Not quite")).first.wait_for()
    page.locator("main .btn.primary").click()
    page.get_by_role("heading", name="Is everything clear?").wait_for()
    for question in pages.quiz("word_intrusion", pages.wording("en")):
        page.get_by_text(question["options"][question["right"]], exact=True).click(force=True)
    on("Is everything clear?")
    for number in range(1, 8):
        page.locator("#count", has_text=f"{number} of 7").wait_for()
        if scripts:
            page.keyboard.press("3")
            page.keyboard.press("a")
            page.keyboard.press("Enter")
        else:
            on("Which word does not belong", choice="3", familiarity="most")
        if number == 4:
            on("A short break?")
    page.get_by_role("heading", name="Done. Thank you!").wait_for()
    assert page.locator("#code").inner_text() == served.study().settings.codes["completed"]
    assert page.faults == []


def page_field(page):
    page.get_by_role("heading", level=1, name="Before you start").wait_for()
    return page.locator("main [type=radio]").first.get_attribute("name")


def test_an_answer_given_after_the_session_ended_is_saved_when_the_rater_is_back(visit, study):
    import time

    from sqlalchemy import update

    url, served = study()
    page = visit(url)
    page.locator("[name=stop][value=keep]").check(force=True)
    page.locator("[name=agree]").check()
    page.locator("main .btn.primary").click()
    page.get_by_role("heading", name="How it works").wait_for()
    page.locator("main .btn.primary").click()
    page.get_by_text("Practice 1 of 1").wait_for()
    page.keyboard.press("2")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    page.get_by_text("What you answered").wait_for()
    page.keyboard.press("Enter")
    page.locator("#count", has_text="1 of 7").wait_for()
    at = page.url
    page.goto(url + "pause")
    (link,) = (a for a in page.locator("main a").evaluate_all("all => all.map(a => a.href)") if "resume" in a)
    page.goto(at)
    page.locator("#count", has_text="1 of 7").wait_for()
    with served.store.writing() as connection:
        connection.execute(update(tables.sessions).values(expires_at=time.time() - 1))
    page.keyboard.press("4")
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    page.get_by_text("Open the study again by the link you were given").wait_for()
    page.goto(link)
    page.locator("#count", has_text="2 of 7").wait_for()
    wait_until_sent(page)
    assert page.locator("#offline").is_hidden()


@pytest.mark.parametrize("scripts", [True, False])
def test_enter_on_the_consent_form_starts_and_does_not_decline(visit, shared, scripts):
    page = visit(f"{shared.url}/page/consent", **DESK, java_script_enabled=scripts)
    page.focus("input[name=stop]")
    page.keyboard.press("Space")
    page.focus("#agree")
    page.keyboard.press("Space")
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.keyboard.press("Enter")
    assert "agree=1" in sent.value.post_data
    assert "no=" not in sent.value.post_data
    page = visit(f"{shared.url}/page/consent", **DESK, java_script_enabled=scripts)
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.get_by_role("button", name="No, thank you").click()
    assert "no=1" in sent.value.post_data


def test_what_came_of_a_form_is_read_first(visit, shared):
    for name, says in (
        ("quiz-again", "Almost."),
        ("consent-errors", "Not finished yet."),
        ("thanks-plain", "Thank you, we have got your note."),
    ):
        page = visit(f"{shared.url}/page/{name}")
        assert page.evaluate("document.activeElement.textContent").strip().startswith(says)


@pytest.mark.parametrize("language", pages.languages())
def test_at_400_percent_no_button_is_broken_within_a_word(visit, shared, language):
    page = visit(shared.url, width=320)
    for name in ("item-word_intrusion", "consent", "paused", "withdraw"):
        page.goto(f"{shared.url}/page/{name}?lang={language}")
        broken = page.evaluate(
            """() => [...document.querySelectorAll('.go .btn')].filter(button => {
                const text = button.firstChild, range = document.createRange();
                return [...text.data.matchAll(/[^ ]+/g)].some(word => {
                    range.setStart(text, word.index);
                    range.setEnd(text, word.index + word[0].length);
                    return range.getClientRects().length > 1;
                });
            }).map(button => button.textContent)"""
        )
        assert broken == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
