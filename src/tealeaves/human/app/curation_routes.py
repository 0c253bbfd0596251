"""The workspace of curators: model topics to look through, reference topics made of them, others' to read.

::

    GET  /s/{study}/curate                        all topics of models, and the reference topics so far
    GET  /s/{study}/curate/topic/{n}              one topic of a model, with its words and documents
    GET  /s/{study}/curate/reference/{id}         one reference topic: merge, split, remove
    GET  /s/{study}/curate/others[/{m}[/{id}]]    what another curator made, to agree to or to remark on
    POST /s/{study}/curate/do                     every step; whatever is answered as saved is on disk
"""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from starlette.responses import JSONResponse, Response

from tealeaves.human.app import curation_log, flow, security, sessions
from tealeaves.human.app.calls import Call, gone, iso, onward
from tealeaves.human.app.curation_forms import events_of, key_of
from tealeaves.human.app.security import TooMuch
from tealeaves.human.app.tables import raters
from tealeaves.human.curation import Curation, judgements
from tealeaves.human.curation_events import CATEGORY, Refused
from tealeaves.human.curation_state import CuratedTopic, Judgement

if TYPE_CHECKING:
    from tealeaves.human.item_sets import Item

_BACK = re.compile(r"curate(?:/[A-Za-z0-9/_.-]*)?(?:\?in=[A-Za-z0-9_.-]*)?")
SHOWS = ("all", "open", "made", "discarded")
ERRORS = ("taken", "moved", "gone", "nothing", "used", "only", "empty", "long", "there")


def overview(call: Call) -> Response:
    """Topics of models, searched and filtered, and the reference topics made of them."""
    if call.elsewhere("curate"):
        return onward(call)
    return _overview(call)


def topic(call: Call, n: int) -> Response:
    """One topic of a model, and the sheet of a reference topic it is part of, or could be."""
    if call.elsewhere("curate"):
        return onward(call)
    return _topic(call, n)


def reference(call: Call, name: str) -> Response:
    """One reference topic: where it is from, and what can be done with it as a whole."""
    if call.elsewhere("curate"):
        return onward(call)
    return _reference(call, name)


def others(call: Call) -> Response:
    """Who else curates."""
    if call.elsewhere("curate"):
        return onward(call)
    own, logs = _log(call), _others(call)
    people = [
        {
            "number": number,
            "name": log.curator,
            "topics": len(log.state.topics),
            "done": len(log.state.done & log.items.keys()),
            "read": sum(1 for of, _ in own.state.judgements if of == log.curator),
        }
        for number, log in logs.items()
        if log.state.topics
    ]
    return _page(call, "others", own, "curate/others", people=people)


def other(call: Call, m: int) -> Response:
    """The reference topics of another curator."""
    if call.elsewhere("curate"):
        return onward(call)
    own, log = _log(call), _others(call).get(m)
    if log is None:
        return call.not_found()
    listed = [{**_brief(log, one), "said": _said(own, log, one)} for one in log.state.topics.values()]
    here = f"curate/others/{m}"
    return _page(call, "other", own, here, person={"number": m, "name": log.curator}, topics=listed)


def read(call: Call, m: int, name: str) -> Response:
    """One reference topic of another curator, with what may be said of it."""
    if call.elsewhere("curate"):
        return onward(call)
    return _read(call, m, name)


def do(call: Call) -> Response:
    """One step, or the sheet of a topic."""
    if call.elsewhere("curate"):
        return gone(call, call.here())
    if not call.form.get("idempotency"):
        raise TooMuch(400, "bad")
    if call.form.get("do") == "judge" and not _judged_is_there(call):
        return _refused(call, "moved")
    study, store, form = call.study, call.served.store, call.form
    try:
        taken = curation_log.take(
            study, store, call.rater.id, key_of(form), lambda curation: events_of(curation, form)
        )
    except Refused as error:
        return _refused(call, error.kind)
    except flow.Refused:
        return gone(call, call.here())
    except flow.TooFast:
        raise TooMuch(429, "too-many") from None
    if call.wants_json:
        return JSONResponse({"saved": True, "saved_at": iso(taken.at), **_after(call, taken.curation)})
    return call.to(_back(form, taken.curation))


Handler = Callable[..., Response]
PATHS: tuple[tuple[str, Handler | None, Handler | None], ...] = (
    ("curate", overview, None),
    ("curate/topic/{n:place}", topic, None),
    ("curate/reference/{name}", reference, None),
    ("curate/others", others, None),
    ("curate/others/{m:place}", other, None),
    ("curate/others/{m:place}/{name}", read, None),
    ("curate/do", overview, do),
)


# --- What was done


def _after(call: Call, curation: Curation) -> dict[str, Any]:
    """What a page that stays open must know after a step."""
    state = curation.state
    now = state.topics.get(call.form.get("topic", ""))
    known: dict[str, Any] = {} if now is None else {
        "seen": now.changed, "words": len(now.words), "documents": len(now.documents), "label": now.label,
    }  # fmt: skip
    done = len(state.done & curation.items.keys())
    return {"undo": state.last or 0, "redo": state.following or 0, "done": done, **known}


def _back(form: Mapping[str, str], curation: Curation) -> str:
    """Where the browser goes after a step: where it was, if that is still there."""
    what, back = form.get("do"), form.get("back", "")
    if what == "split":
        return f"curate/reference/{form.get('new', '')}"
    if what == "merge":
        return f"curate/reference/{form.get('into', '')}"
    if what == "remove" or not _BACK.fullmatch(back):
        return "curate"
    if back.startswith("curate/reference/") and back.rpartition("/")[2] not in curation.state.topics:
        return "curate"  # undone
    return back


def _refused(call: Call, kind: str) -> Response:
    """A step that was not possible: said on the page it came from, with what was written."""
    said = kind if kind in ERRORS else "bad"
    field = {"taken": "label", "long": "label"}.get(said, "step")
    text = call.served.text(call.study)
    errors = {field: text(f"reference_topic_curation.errors.{said}")}
    status = 409 if said in ("moved", "gone", "nothing") else 422
    if call.wants_json:
        plain = {name: text.plain(f"reference_topic_curation.errors.{said}") for name in errors}
        return JSONResponse({"saved": False, "errors": plain}, status)
    back = call.form.get("back", "")
    if found := re.fullmatch(r"curate/topic/(\d{1,6})(?:\?in=.*)?", back):
        return _topic(call, int(found[1]), status, errors)
    if found := re.fullmatch(r"curate/reference/([A-Za-z0-9_.-]+)", back):
        return _reference(call, found[1], status, errors)
    if found := re.fullmatch(r"curate/others/(\d{1,6})/([A-Za-z0-9_.-]+)", back):
        return _read(call, int(found[1]), found[2], status, errors)
    return _overview(call, status, errors)


def _judged_is_there(call: Call) -> bool:
    """Whether the topic that a second reader judges is there."""
    name, topic_id = call.form.get("curator", ""), call.form.get("topic", "")
    log = next((log for log in _others(call).values() if log.curator == name), None)
    return log is not None and topic_id in log.state.topics


# --- Pages


def _page(
    call: Call,
    name: str,
    own: Curation,
    here: str,
    status: int = 200,
    errors: Mapping[str, Any] | None = None,
    **context: Any,
) -> Response:
    state = own.state
    return call.page(
        f"curation/{name}",
        status,
        action=call.url("curate/do"),
        base=call.url("curate"),
        here=here,
        key=lambda: security.new_token()[:24],
        undo=_named(own, state.last),
        redo=_named(own, state.following),
        done=len(state.done & own.items.keys()),
        total=len(own.items),
        task=call.study.task,
        errors=errors or {},
        withdraw=call.url("withdraw"),
        **context,
    )


def _overview(call: Call, status: int = 200, errors: Mapping[str, Any] | None = None) -> Response:
    own = _log(call)
    query = " ".join(call.request.query_params.get("q", "").split())[:80]
    show = call.request.query_params.get("show", "all")
    show = show if show in SHOWS else "all"
    rows = []
    for n, item in enumerate(own.items.values(), start=1):
        parts = own.state.of(item.id)
        kind = "made" if parts else "discarded" if item.id in own.state.discarded else "open"
        if show not in ("all", kind) or not _matches(query, item, parts):
            continue
        rows.append({**_source(item, n), "kind": kind, "parts": parts,
                     "reason": own.state.discarded.get(item.id, "")})  # fmt: skip
    said = judgements(own, _others(call).values())
    listed = [{**_brief(own, one), "said": _counts(one, said[one.id])} for one in own.state.topics.values()]
    following = next(
        (n for n, item in enumerate(own.items.values(), 1) if item.id not in own.state.done), None
    )
    token = sessions.resume_token(call.study, call.rater.number)
    resume = f"{str(call.request.base_url).rstrip('/')}{call.url(f'resume/{token}')}"
    return _page(
        call, "overview", own, "curate", status, errors, rows=rows, topics=listed, query=query, show=show,
        shows=SHOWS, following=following, resume=resume, curator=own.curator,
    )  # fmt: skip


def _topic(call: Call, n: int, status: int = 200, errors: Mapping[str, Any] | None = None) -> Response:
    own = _log(call)
    items = list(own.items.values())
    if not 1 <= n <= len(items):
        return call.not_found()
    item = items[n - 1]
    parts = own.state.of(item.id)
    asked = call.form.get("topic") if call.form.get("do") == "sheet" else call.request.query_params.get("in")
    now = next((one for one in parts if one.id == asked), None)
    if now is None and asked is None and parts:
        now = parts[0]
    kept = call.form if errors and call.form.get("do") == "sheet" else {}
    sheet = _sheet(item, now, kept)
    words = {*item.shown["words"]}
    joinable = [
        {"id": one.id, "label": one.label, "shared": len(words.intersection(one.words))}
        for one in own.state.topics.values()
        if item.id not in one.items
    ]
    joinable.sort(key=_shared, reverse=True)
    elsewhere = [] if now is None else [word for word in now.words if word not in words]
    opened = [i for i in range(n + 1, len(items) + 1) if items[i - 1].id not in own.state.done]
    here = f"curate/topic/{n}" + (f"?in={sheet['id']}" if now else "?in=" if parts else "")
    categories = sorted({c for one in own.state.topics.values() if (c := one.categories.get(CATEGORY))})
    return _page(
        call, "topic", own, here, status, errors, n=n, item=_source(item, n), parts=parts, sheet=sheet,
        now=now, joinable=joinable, elsewhere=elsewhere, discarded=item.id in own.state.discarded,
        reason=own.state.discarded.get(item.id, ""), categories=categories,
        before=n - 1 if n > 1 else None, after=n + 1 if n < len(items) else None,
        following=opened[0] if opened else None, no_documents=not item.shown["documents"],
    )  # fmt: skip


def _sheet(item: "Item", now: CuratedTopic | None, kept: Mapping[str, str]) -> dict[str, Any]:
    """The form of a reference topic on the page of one of its items; ``kept`` is one that was refused."""
    held = now or CuratedTopic("")
    weights = item.shown["weights"] or [None] * len(item.shown["words"])
    most = max((w for w in weights if w is not None), default=0.0) or 1.0

    def ticked(name: str, held_there: bool) -> bool:
        return kept.get(name) == "1" if kept else held_there

    words = [
        {"name": f"w{i}", "word": word, "weight": weight, "share": (weight or 0.0) / most,
         "on": ticked(f"w{i}", word in held.words)}
        for i, (word, weight) in enumerate(zip(item.shown["words"], weights, strict=True), start=1)
    ]  # fmt: skip
    documents = [
        {**document, "name": f"d{i}", "on": ticked(f"d{i}", str(document["id"]) in held.documents)}
        for i, document in enumerate(item.shown["documents"], start=1)
    ]
    return {
        "id": held.id or kept.get("topic") or _new(),
        "item": item.id,
        "seen": held.changed,
        "words": words,
        "documents": documents,
        "label": kept.get("label", held.label),
        "text": kept.get("text", held.description),
        "category": kept.get("category", held.categories.get(CATEGORY, "")),
        "preference": kept.get("preference", held.preference or "both"),
    }


def _reference(call: Call, name: str, status: int = 200, errors: Mapping[str, Any] | None = None) -> Response:
    own = _log(call)
    now = own.state.topics.get(name)
    if now is None:
        return call.not_found()
    numbers = {item: n for n, item in enumerate(own.items, start=1)}
    rest = [
        {"id": one.id, "label": one.label, "shared": len({*now.words}.intersection(one.words))}
        for one in own.state.topics.values()
        if one.id != name
    ]
    rest.sort(key=_shared, reverse=True)
    said = judgements(own, _others(call).values())[name]
    return _page(
        call, "reference", own, f"curate/reference/{name}", status, errors, now=now,
        sources=[_source(own.items[item], numbers[item]) for item in now.items], rest=rest,
        documents=_documents(own, now), category=now.categories.get(CATEGORY, ""),
        new=_new(),
        said=[{"reader": reader, "verdict": one.verdict, "remark": one.remark, "old": one.at < now.changed}
              for reader, one in said],
    )  # fmt: skip


def _read(
    call: Call, m: int, name: str, status: int = 200, errors: Mapping[str, Any] | None = None
) -> Response:
    own, log = _log(call), _others(call).get(m)
    if log is None or name not in log.state.topics:
        return call.not_found()
    now, ids = log.state.topics[name], list(log.state.topics)
    at = ids.index(name)
    numbers = {item: n for n, item in enumerate(own.items, start=1)}
    said = own.state.judgements.get((log.curator, name))
    return _page(
        call, "read", own, f"curate/others/{m}/{name}", status, errors, now=now,
        person={"number": m, "name": log.curator}, position=at + 1, of=len(ids),
        before=ids[at - 1] if at else None, after=ids[at + 1] if at + 1 < len(ids) else None,
        sources=[_source(own.items[item], numbers[item]) for item in now.items],
        documents=_documents(log, now), category=now.categories.get(CATEGORY, ""),
        verdict=said.verdict if said else None, remark=said.remark if said else "",
        old=bool(said and said.at < now.changed),
    )  # fmt: skip


# --- What pages show


def _log(call: Call) -> Curation:
    store, rater = call.served.store, call.rater
    with store.reading() as connection:
        return curation_log.read(call.study, store, connection, rater.id, rater.number)


def _others(call: Call) -> dict[int, Curation]:
    """Logs of all other curators, by their number; those of a draft apart."""
    store, rater = call.served.store, call.rater
    same = raters.c.phase == "draft" if rater.phase == "draft" else raters.c.phase != "draft"
    with store.reading() as connection:
        found = connection.execute(
            select(raters.c.id, raters.c.number)
            .where(raters.c.study_id == store.study_id, raters.c.id != rater.id, same)
            .order_by(raters.c.number)
        ).all()
        logs = {
            row.number: curation_log.read(call.study, store, connection, row.id, row.number) for row in found
        }
    return {number: log for number, log in logs.items() if log.events}


def _matches(query: str, item: "Item", parts: list[CuratedTopic]) -> bool:
    """Whether every word of a query begins one of the item's words, or stands in a name of its topics."""
    names = " ".join([item.model, str(item.topic), *(one.label for one in parts)]).casefold()
    words = [word.casefold() for word in item.shown["words"]]
    return all(
        part in names or any(word.startswith(part) for word in words) for part in query.casefold().split()
    )


def _source(item: "Item", n: int) -> dict[str, Any]:
    return {
        "n": n,
        "id": item.id,
        "model": item.model,
        "topic": item.topic,
        "words": item.shown["words"][:10],
    }


def _brief(log: Curation, one: CuratedTopic) -> dict[str, Any]:
    first = one.items[0]
    return {
        "id": one.id, "label": one.label, "words": one.words[:12], "more": max(0, len(one.words) - 12),
        "documents": len(one.documents), "items": len(one.items),
        "category": one.categories.get(CATEGORY, ""), "n": list(log.items).index(first) + 1,
    }  # fmt: skip


def _shared(one: Mapping[str, Any]) -> int:
    return int(one["shared"])


def _new() -> str:
    """An id for a topic that is not there yet: two pages never propose the same."""
    return f"r{security.hashed(security.new_token())[:10]}"


def _documents(log: Curation, one: CuratedTopic) -> list[dict[str, Any]]:
    shown = log.documents_of(one)
    return [dict(shown[name]) for name in one.documents if name in shown]


def _counts(one: CuratedTopic, said: list[tuple[str, Judgement]]) -> dict[str, int]:
    """How many second readers agree, disagree and remark, of the topic as it is now."""
    now = [judgement for _, judgement in said if judgement.at >= one.changed]
    return {
        "agree": sum(judgement.verdict == "agree" for judgement in now),
        "disagree": sum(judgement.verdict == "disagree" for judgement in now),
        "remark": sum(bool(judgement.remark) for _, judgement in said),
    }


def _said(own: Curation, log: Curation, one: CuratedTopic) -> str:
    """What this reader said of a topic of another: for a list."""
    said = own.state.judgements.get((log.curator, one.id))
    if said is None:
        return ""
    return "old" if said.at < one.changed else said.verdict or "remark"


def _named(own: Curation, number: int | None) -> dict[str, Any] | None:
    """A step that can be undone or brought back: its number, and what it was."""
    return None if number is None else {"of": number, "what": own.events[number - 1]["do"]}
