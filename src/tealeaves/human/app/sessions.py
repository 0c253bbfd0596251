"""Who asks: a visitor who has not agreed yet, or a rater. Cookies hold tokens, the database their hashes.

A visitor's cookie is nothing but a random mark and, sealed, what the platform's link said: so nobody is
written down before giving consent, and no platform id stands in the address of any page.
"""

import base64
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, bindparam, delete, insert, select, update

from tealeaves.human.app.progress import Progress, of_session
from tealeaves.human.app.security import hashed, new_token, same, seal
from tealeaves.human.app.tables import platform_ids, raters, sessions

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection
    from starlette.requests import Request
    from starlette.responses import Response

    from tealeaves.human.app.store import Store
    from tealeaves.human.study import Study

COOKIE = "tealeaves"
COOKIE_DAYS = 60  # how long a browser keeps the cookie; the database decides how long it is good for
LONGEST = 128
# The parameters of each platform's links: first whose id it is, then what else is kept of it.
PARAMETERS = {
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    "mturk": ("workerId", "assignmentId", "hitId"),
}
# How an id is written in one way, and what it looks like: whoever adds a letter is nobody else by it.
IDS: dict[str, tuple[Callable[[str], str], re.Pattern[str]]] = {
    "PROLIFIC_PID": (str.lower, re.compile(r"[0-9a-f]{24}")),
    "workerId": (str.upper, re.compile(r"[A-Z0-9]{1,64}")),
}
VISIT = {"prolific": "SESSION_ID", "mturk": "assignmentId"}  # known to the rater and the platform alone
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"  # what MTurk's preview says

# Made once: to make a statement costs more than to run it.
_PROLONG = (
    update(sessions)
    .where(sessions.c.rater_id == bindparam("rater"), sessions.c.expires_at > bindparam("now"))
    .values(expires_at=bindparam("until"))
)
_SEEN = (
    update(raters)
    .where(raters.c.id == bindparam("rater"))
    .values(seen_at=bindparam("now"), lease_until=bindparam("lease"))
)


@dataclass(frozen=True)
class Visitor:
    """A browser: its cookie, how far who gave consent in it had come, and what the platform's link said."""

    cookie: str
    here: Progress | None = None
    platform: Mapping[str, str] | None = None

    @property
    def rater(self) -> Row[Any] | None:
        """Who gave consent in this browser."""
        return self.here.rater if self.here else None

    def csrf(self, secret: bytes) -> str:
        """The mark that forms sent by this browser bear."""
        return seal(secret, "csrf", self.cookie)


def parameters(study: "Study", query: Mapping[str, str]) -> dict[str, str] | None:
    """What the platform's link says; None where it says nothing that can be used."""
    names = PARAMETERS.get(study.settings.platform or "", ())
    found = {name: query[name].strip() for name in names if name in query}
    usable = all(value and len(value) <= LONGEST and value.isprintable() for value in found.values())
    if not names or names[0] not in found or not usable or PREVIEW in found.values():
        return None
    found[names[0]] = IDS[names[0]][0](found[names[0]])  # the same person, however the link writes him
    return found if IDS[names[0]][1].fullmatch(found[names[0]]) else None


def is_preview(study: "Study", query: Mapping[str, str]) -> bool:
    """Whether somebody on MTurk looks before accepting: there is nobody to begin yet."""
    return study.settings.platform == "mturk" and query.get("assignmentId") == PREVIEW


def fingerprint(study: "Study", platform: Mapping[str, str]) -> str:
    """A keyed hash of the platform's id: the same rater is known again, and the id cannot be read from it."""
    name = PARAMETERS[str(study.settings.platform)][0]
    return seal(study.secret, "platform id", study.settings.platform, platform[name])


def visit(study: "Study", platform: Mapping[str, str]) -> str | None:
    """A keyed hash of the platform's session; None where the link names none.

    An id is known to everybody who had the rater before. His session is not, so that by it, and not by the id
    alone, somebody in another browser is let in again.
    """
    kind = str(study.settings.platform)
    named = platform.get(VISIT[kind])
    return named and seal(study.secret, "platform session", kind, platform[PARAMETERS[kind][0]], named)


def is_same(connection: "Connection", rater_id: int, mark: str | None) -> bool:
    """Whether this session of the platform (`visit`) is the one with which the rater began."""
    kept = connection.execute(select(raters.c.visit).where(raters.c.id == rater_id)).scalar()
    return kept is not None and mark is not None and same(kept, mark)


def new_visitor(study: "Study", platform: Mapping[str, str] | None = None) -> Visitor:
    """A browser seen for the first time."""
    said = base64.urlsafe_b64encode(json.dumps(platform).encode()).decode() if platform else ""
    body = f"v.{new_token()}.{said}"
    return Visitor(f"{body}.{seal(study.secret, 'visitor', body)}", platform=platform)


def visitor_of(study: "Study", store: "Store", request: "Request") -> Visitor | None:
    """Whose request this is; None where no cookie of ours, or one that is no longer good, came with it."""
    cookie = request.cookies.get(COOKIE, "")
    if cookie.startswith("s."):
        with store.reading() as connection:
            here = of_session(connection, store.study_id, hashed(cookie), time.time())
        return None if here is None else Visitor(cookie, here)
    body, _, mark = cookie.rpartition(".")
    if not body.startswith("v.") or not same(mark, seal(study.secret, "visitor", body)):
        return None
    said = body.split(".")[2]
    return Visitor(cookie, platform=json.loads(base64.urlsafe_b64decode(said)) if said else None)


def begin(study: "Study", connection: "Connection", rater_id: int) -> str:
    """A new session of a rater: its cookie."""
    cookie = f"s.{new_token()}"
    now = time.time()
    connection.execute(delete(sessions).where(sessions.c.rater_id == rater_id, sessions.c.expires_at < now))
    row = {
        "token_hash": hashed(cookie),
        "rater_id": rater_id,
        "expires_at": now + 3600 * study.settings.session_hours,
    }
    connection.execute(insert(sessions).values(row))
    return cookie


def prolong(study: "Study", connection: "Connection", rater: Row[Any], now: float) -> None:
    """The rater has done something: sessions and leases last from now on.

    A lease that has run out stays so: `assignment.place` renews it, together with the places.
    """
    until = now + 3600 * study.settings.session_hours
    connection.execute(_PROLONG, {"rater": rater.id, "now": now, "until": until})
    lease = rater.lease_until
    if lease >= now:
        lease = now + 60 * study.settings.lease_minutes
    connection.execute(_SEEN, {"rater": rater.id, "now": now, "lease": lease})


def known(study: "Study", store: "Store", connection: "Connection", mark: str) -> int | None:
    """The rater who came with this platform id or cookie before, in this study or its pilot."""
    phases = ("draft",) if study.phase == "draft" else ("pilot", "live")
    found: int | None = connection.execute(
        select(raters.c.id).where(
            raters.c.study_id == store.study_id,
            raters.c.fingerprint == mark,
            raters.c.phase.in_(phases),
        )
    ).scalar()
    return found


def by_resume_link(store: "Store", token: str) -> int | None:
    """The rater whose link this is."""
    with store.reading() as connection:
        found: int | None = connection.execute(
            select(raters.c.id).where(
                raters.c.study_id == store.study_id, raters.c.resume_hash == hashed(token)
            )
        ).scalar()
    return found


def resume_token(study: "Study", number: int) -> str:
    """What a rater's own link ends with: made from the secret, so that only its hash is kept."""
    return seal(study.secret, "resume", study.about["created"], number)


def remember_platform(
    study: "Study", connection: "Connection", rater_id: int, platform: Mapping[str, str]
) -> None:
    """Keep the platform's id apart from everything else, for payment."""
    first, *rest = PARAMETERS[str(study.settings.platform)]
    details = json.dumps({name: platform[name] for name in rest if name in platform})
    row = {
        "rater_id": rater_id,
        "platform": study.settings.platform,
        "external": platform[first],
        "details": details,
    }
    connection.execute(insert(platform_ids).values(row))


def forget_platform_ids(store: "Store") -> int:
    """Delete the platform's ids of all raters; how many there were.

    What is left is a keyed hash, by which somebody who comes back is known. Nobody can be found by it.
    """
    mine = select(raters.c.id).where(raters.c.study_id == store.study_id)
    with store.writing() as connection:
        n = connection.execute(delete(platform_ids).where(platform_ids.c.rater_id.in_(mine))).rowcount
        store.note(connection, "forgotten", n)
    store.scrub()
    return n


def set_cookie(response: "Response", study: "Study", cookie: str, *, secure: bool) -> None:
    """Give the browser its cookie: not for scripts, not for other sites, for this study's pages only."""
    response.set_cookie(
        COOKIE,
        cookie,
        max_age=COOKIE_DAYS * 86400,
        path=f"/s/{study.name}/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )
