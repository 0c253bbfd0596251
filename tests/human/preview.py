"""Every page of raters with invented words, and a small server of them: to look at, and for tests.

``python tests/human/preview.py 8900`` serves them on a port of this machine.
"""

import asyncio
import itertools
import sys
from dataclasses import dataclass, field
from typing import Any

from tealeaves.human.app import pages


@dataclass
class Sample:
    """As an item of `tealeaves.human.items`, but for what no page may know."""

    task: str
    options: tuple[str, ...] = ()
    shown: dict[str, Any] = field(default_factory=dict)


NUMBERS = itertools.count()
YEARS = ("1950", "1970", "1990", "2010", "2020")
KITCHEN = [
    ["stove", "coal", "oven", "iron", "kettle", "smoke", "bread", "larder"],
    ["oven", "gas", "kettle", "fridge", "bread", "stove", "tin", "mixer"],
    ["oven", "fridge", "freezer", "mixer", "microwave", "kettle", "harbour", "bread"],
    ["oven", "fridge", "microwave", "freezer", "induction", "kettle", "blender", "bread"],
    ["oven", "induction", "airfryer", "fridge", "blender", "freezer", "kettle", "timer"],
]
SLICES = [{"label": year, "words": words} for year, words in zip(YEARS, KITCHEN, strict=True)]
TEXT = (
    "The village bakery opens at five. By then the first bread has been in the oven for half an hour, and "
    "whoever walks to the early bus can smell it two streets away.\n\nFor forty years the flour came from "
    "the mill by the river. Since the mill has closed it comes by lorry once a week and costs a third more. "
    "The baker has not raised her prices. “People would understand,” she says, “but they would buy less, and "
    "then I would bake less.”\n\n"
)
BAKING = [
    "bread",
    "flour",
    "oven",
    "yeast",
    "baker",
    "dough",
    "rye",
    "crust",
    "mill",
    "shop",
    "price",
    "cake",
]
BAKING += ["early", "salt", "loaf"]
GRAIN = [
    "flour",
    "wheat",
    "rye",
    "mill",
    "harvest",
    "price",
    "field",
    "farmer",
    "rain",
    "bread",
    "lorry",
    "grain",
]
GRAIN += ["yield", "dry", "barley"]
DOCUMENTS = [
    {"title": "A bakery that opens at five", "text": TEXT * 4},
    {"title": "Flour is dearer again", "text": TEXT},
    {"title": "", "text": "Rye has a bad year. It was too wet in May, and in June nobody could cut it."},
    {"title": "How to keep sourdough alive over the holidays, and what to do if you forgot it", "text": TEXT},
    *({"title": f"Letter to the editor, number {i}", "text": TEXT} for i in range(5, 16)),
]
LISTS = (
    "bread, oven, flour, baker, dough, yeast",
    "mill, river, water, wheel, stream, weir",
    "price, cost, cheap, dear, shop, buy",
    "goal, team, match, coach, league, referee",
)
ITEMS = {
    sample.task: sample
    for sample in (
        Sample("word_intrusion", ("bread", "flour", "oven", "yeast", "violin", "dough")),
        Sample(
            "word_set_intrusion",
            ("bread oven flour", "dough yeast baker", "goal team coach", "rye wheat mill"),
        ),
        Sample("topic_intrusion", LISTS, {"title": "A bakery that opens at five", "text": TEXT * 4}),
        Sample(
            "topic_word_matching",
            (*LISTS, "school, class, teacher, exam, pupil, marks"),
            {
                "before": "whoever walks to the early bus can smell the ",
                "word": "bread",
                "after": " two streets away. For forty years the flour came from the",
            },
        ),
        Sample(
            "temporal_word_intrusion",
            tuple(dict.fromkeys(word for words in KITCHEN for word in words)),
            {"slices": SLICES},
        ),
        Sample(
            "word_set_rating",
            (),
            {"words": BAKING[:10]},
        ),
        Sample("temporal_rating", (), {"slices": SLICES}),
        Sample(
            "topic_pair_matching",
            (),
            {
                "first": {
                    "words": BAKING,
                    "documents": DOCUMENTS,
                },
                "second": {
                    "words": GRAIN,
                    "documents": DOCUMENTS[::-1],
                },
            },
        ),
        Sample(
            "topic_labelling",
            (),
            {
                "words": BAKING[:10],
                "documents": DOCUMENTS[:6],
            },
        ),
    )
}
STUDY = {
    "title": "Which words belong together?",
    "host": "Department of Linguistics, Example University",
    "contact": "Anna Example, study@example.org",
    "words_language": "en",
}
SCREENING = [
    {"name": "age", "question": "How old are you?", "options": ["Under 18", "18 to 64", "65 or older"]},
    {
        "name": "english",
        "question": "How well do you read English?",
        "options": ["As my first language", "Well", "A little"],
    },
]
# An answer as it stands in a form, for every task.
ANSWERS = {
    "word_intrusion": {"choice": "5", "familiarity": "most"},
    "word_set_intrusion": {"choice": "3"},
    "topic_intrusion": {"choice": "4"},
    "topic_word_matching": {"choice": "1"},
    "temporal_word_intrusion": {"choice": "17", "familiarity": "sure"},
    "word_set_rating": {"rating": "3", "familiarity": "unsure"},
    "temporal_rating": {"relatedness": "3", "smoothness": "2", "familiarity": "most"},
    "topic_pair_matching": {"name_a": "baking", "name_b": "grain", "label": "0.5"},
    "topic_labelling": {"label": "baking bread", "sure": "3"},
}


def frame(task: str, text: pages.Wording, sample: Sample | None = None, **more: Any) -> dict[str, Any]:
    """What a route hands to a page of one item."""
    item = sample or ITEMS[task]
    order = list(range(len(item.options)))
    return {
        "study": STUDY,
        "csrf": "c-7Qx",
        "action": f"/answer/{task}",
        "task": task,
        "question": pages.TASKS[task].context(item, order, text),
        "assignment": f"a-{len(task)}-{task[:2]}",
        "idempotency": f"n-{next(NUMBERS)}",
        "started": "1764500000",
        "position": 12,
        "total": 40,
        "saved_at": "2026-11-30T10:42:00+00:00",
        "back": "/page/break",
        "pause": "/page/paused",
        "withdraw": "/page/withdraw",
        **more,
    }


def page_contexts(text: pages.Wording) -> dict[str, tuple[str, dict[str, Any]]]:
    """Every page: a name of its own, the template's name, and its context."""
    base = {"study": STUDY, "csrf": "c-7Qx", "action": "/page/break"}
    ends = {"code": "C1AB23DE", "return_url": "/page/home"}
    quiz = pages.quiz("word_intrusion", text)
    found: dict[str, tuple[str, dict[str, Any]]] = {
        f"item-{task}": ("item", frame(task, text)) for task in pages.TASKS
    }
    errors = {"choice": text.plain("errors.choice"), "familiarity": text.plain("errors.familiarity")}
    found["item-errors"] = ("item", frame("word_intrusion", text, errors=errors))
    names = {"name_a": text.plain("errors.name"), "label": text.plain("errors.same")}
    found["item-pair-errors"] = (
        "item",
        frame("topic_pair_matching", text, errors=names, kept={"name_b": "grain"}),
    )
    practice = {"practice": {"number": 1, "of": 2}}
    found["practice"] = ("practice", frame("word_intrusion", text, **practice))
    for name, right, choice in (("right", True, "5"), ("wrong", False, "2")):
        told = {"right": right, "answer": "violin", "kept": {"choice": choice, "familiarity": "most"}}
        why = "Bread is made of or with the others." if right else None
        found[f"feedback-{name}"] = ("feedback", frame("word_intrusion", text, **practice, **told, why=why))
    kept = {"kept": ANSWERS["temporal_rating"]}
    found["feedback-free"] = ("feedback", frame("temporal_rating", text, **practice, right=None, **kept))
    pair = {"kept": ANSWERS["topic_pair_matching"]}
    found["feedback-pair"] = ("feedback", frame("topic_pair_matching", text, **practice, right=None, **pair))
    for task in pages.TASKS:
        found[f"instructions-{task}"] = ("instructions", {**base, "task": task, "practice": 2})
    consent = {
        "task": "word_intrusion",
        "items": 40,
        "minutes": "12",
        "payment": "£2.00",
        "hours": 24,
        "checks": True,
    }
    more = ["We want to know which lists of words make sense to people. Nothing you see here can upset you."]
    found |= {
        "home": ("home", {"studies": [{"title": STUDY["title"], "url": "/page/consent"}]}),
        "consent": ("consent", {**base, **consent, "platform": True, "more": more}),
        "consent-errors": (
            "consent",
            {
                **base,
                **consent,
                "errors": {"stop": text.plain("errors.stop"), "agree": text.plain("errors.agree")},
            },
        ),
        "screening": ("screening", {**base, "questions": SCREENING}),
        "quiz": ("quiz", {**base, "task": "word_intrusion", "questions": quiz}),
        "quiz-again": (
            "quiz",
            {
                **base,
                "task": "word_intrusion",
                "questions": quiz,
                "wrong": {"q1": quiz[0]["why"]},
                "tries_left": 1,
                "kept": {"q1": "1", "q2": "1"},
            },
        ),
        "break": ("break", {**base, "done": 15, "total": 40, "next": "/page/item-word_intrusion"}),
        "paused": (
            "paused",
            {
                **base,
                "done": 15,
                "total": 40,
                "next": "/page/resume",
                "until": "2026-12-01T10:42:00+00:00",
                "withdraw": "/page/withdraw",
                "resume": "https://study.example.org/s/words/back/kT3uX9fQm2Lr8vNw4ZpD",
                "pseudonym": "R-014",
            },
        ),
        "wait": ("wait", {**base, "next": "/page/instructions", "until": "2026-12-01T10:42:00+00:00"}),
        "wait-unknown": ("wait", {**base, "next": "/page/instructions"}),
        "resume": ("resume", {**base, "done": 15, "total": 40, "next": "/page/item-word_intrusion"}),
        "withdraw": (
            "withdraw",
            {**base, "done": 15, "next": "/page/item-word_intrusion", "pseudonym": "R-014"},
        ),
        "thanks": ("thanks", {**base, "total": 40, "pseudonym": "R-014", **ends}),
        "thanks-code": ("thanks", {**base, "total": 40, "platform": "mturk", "code": "C1AB23DE"}),
        "thanks-plain": ("thanks", {**base, "total": 40, "remark_sent": True}),
        "ended-screened": ("ended-screened", {**base, **ends}),
        "ended-full": ("ended-full", base),
        "ended-quiz": ("ended-quiz", {**base, **ends}),
        "ended-again": ("ended-again", base),
        "ended-timeout": ("ended-timeout", {**base, "kept_answers": True, "pseudonym": "R-014"}),
        "ended-closed": ("ended-closed", base),
        "ended-declined": ("ended-declined", {**base, **ends}),
        "ended-withdrew": ("ended-withdrew", {**base, "kept_answers": False, **ends}),
        "not-found": ("not-found", {}),
    }
    for kind in ("server", "expired", "too-many", "too-large", "bad"):
        found[f"error-{kind}"] = ("error", {"kind": kind, "next": "/page/home"})
    return found


def create_preview(hostile: dict[str, Sample] | None = None, ahead: bool = False) -> Any:
    """The pages as an application. ``app.state`` holds the answers that came, and faults to be acted out."""
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    policy = {"Content-Security-Policy": "default-src 'self'"}
    tasks = list(pages.TASKS)

    def language(request: Any) -> pages.Wording:
        return pages.wording(request.query_params.get("lang", "en"))

    async def page(request: Any) -> Any:
        text, name = language(request), request.path_params["name"]
        known = page_contexts(text)
        if name not in known:
            return HTMLResponse(pages.render("not-found", {}, text), 404, policy)
        template, context = known[name]
        return HTMLResponse(pages.render(template, context, text), headers=policy)

    def item_page(task: str, text: pages.Wording, **more: Any) -> str:
        follow = tasks[tasks.index(task) + 1 :][:2]
        coming = [f"/item/{name}" for name in follow] if ahead else []
        return pages.render("item", frame(task, text, (hostile or {}).get(task), ahead=coming, **more), text)

    async def item(request: Any) -> Any:
        return HTMLResponse(item_page(request.path_params["task"], language(request)), headers=policy)

    async def answer(request: Any) -> Any:
        task, state, text = request.path_params["task"], request.app.state, language(request)
        form = dict((await request.form()).items())
        state.tries.append(form)
        if state.delay:
            await asyncio.sleep(state.delay)
        if state.faults:
            return Response(status_code=state.faults.pop(0))
        sample = (hostile or {}).get(task) or ITEMS[task]
        wants_json = "json" in request.headers.get("accept", "")
        try:
            value = pages.TASKS[task].parse(form, sample, list(range(len(sample.options))))
        except pages.AnswerError as error:
            messages = error.messages(text)
            if wants_json:
                return JSONResponse({"saved": False, "errors": messages}, 422)
            return HTMLResponse(item_page(task, text, errors=messages, kept=form), 422, policy)
        if form["idempotency"] not in {saved["idempotency"] for _, saved, _ in state.saved}:
            state.saved.append((task, form, value))
        place = tasks.index(task) + 1
        onward = f"/item/{tasks[place]}" if place < len(tasks) else "/page/thanks"
        if wants_json:
            return JSONResponse({"saved": True, "next": onward, "saved_at": "2026-11-30T10:43:00+00:00"})
        return RedirectResponse(onward, 303)

    async def index(request: Any) -> Any:
        links = "".join(
            f'<li><a href="/page/{name}">{name}</a></li>' for name in page_contexts(language(request))
        )
        return HTMLResponse(f"<ul>{links}</ul>", headers=policy)

    app = Starlette(
        routes=[
            Route("/", index),
            Route("/page/{name}", page, methods=["GET", "POST"]),
            Route("/item/{task}", item),
            Route("/answer/{task}", answer, methods=["POST"]),
            Mount("/static", StaticFiles(directory=pages.STATIC)),
        ]
    )
    app.state.saved, app.state.tries, app.state.faults, app.state.delay = [], [], [], 0.0
    return app


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(
        create_preview(ahead=True), port=int(sys.argv[1]) if len(sys.argv) > 1 else 8900, log_level="warning"
    )
