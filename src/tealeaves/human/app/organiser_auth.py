"""Who may see the organiser's pages: whoever has the token that was printed when the server was started.

Only the token's hash is kept, in ``organiser.json`` of each study's folder. A session is a signed cookie;
what it is signed with changes with the token, so that a new token ends every session, and signing out is
written down in the database, so that a copy of the cookie is worth nothing afterwards.
"""

import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tealeaves.errors import FormatError

if TYPE_CHECKING:
    from tealeaves.human.study import Study

COOKIE, FILE, HOURS = "tealeaves_organiser", "organiser.json", 12


@dataclass(frozen=True)
class Session:
    """Somebody who has signed in: ``name`` is drawn anew each time, ``csrf`` stands in every form."""

    name: str
    csrf: str


def mint(folders: Iterable[str | Path]) -> str:
    """Make a new token for the studies in these folders and keep its hash; earlier ones are void."""
    token = secrets.token_urlsafe(32)
    for folder in folders:
        _keep(Path(folder), _hash(token))
    return token


def share(known: "Study", further: "Study") -> None:
    """Let the organiser of one study into a further one, by the same token."""
    if (kept := _kept(known)) is not None:
        _keep(further.folder, kept)


def is_token(study: "Study", token: str) -> bool:
    """Whether this is the token of the study's organiser."""
    wanted = _kept(study)
    return wanted is not None and hmac.compare_digest(wanted, _hash(token))


def cookie(study: "Study", now: float | None = None) -> str:
    """What a browser gets after signing in."""
    until = int((time.time() if now is None else now) + HOURS * 3600)
    name = secrets.token_hex(16)
    return f"{until}.{name}.{_sign(study, f'session.{until}.{name}')}"


def session(study: "Study", given: str | None, now: float | None = None) -> Session | None:
    """Whose cookie this is; None where it is forged, too old or of a former token."""
    parts = (given or "").split(".")
    if len(parts) != 3 or _kept(study) is None:
        return None
    until, name, signature = parts
    if not hmac.compare_digest(signature.encode(), _sign(study, f"session.{until}.{name}").encode()):
        return None
    if int(until) < (time.time() if now is None else now):
        return None
    return Session(name, _sign(study, f"csrf.{name}"))


def _kept(study: "Study") -> str | None:
    path = study.folder / FILE
    try:
        return str(json.loads(path.read_text("ascii"))["token_sha256"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(path, f"cannot be read: {error}; start the server anew") from None


def _keep(folder: Path, token_hash: str) -> None:
    part = folder / f".{FILE}.{secrets.token_hex(4)}"
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(json.dumps({"token_sha256": token_hash}) + "\n")
    part.replace(folder / FILE)


def _sign(study: "Study", text: str) -> str:
    key = study.secret + (_kept(study) or "").encode()
    return hmac.new(key, f"organiser.{text}".encode(), hashlib.sha256).hexdigest()


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
