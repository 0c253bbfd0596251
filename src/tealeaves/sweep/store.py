"""Models on disk, each under the digest of all that can change it, or the reason why there is none."""

import errno
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError, MissingExtra, TealeavesError
from tealeaves.folders import write_json

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # the disk's doing, not the model's


@dataclass(frozen=True)
class Kept:
    """A saved model, or the reason why there is none.

    ``final`` says of a failure that the input was refused: another try would fail again.
    """

    path: Path
    seconds: float
    reason: str = ""
    final: bool = True
    n_topics: int | None = None

    def load(self) -> Any:
        """The model."""
        from tealeaves.model import load_model

        return load_model(self.path)


def digest(*about: Any) -> str:
    """Twenty hexadecimal digits of what JSON can say.

    Examples
    --------
    >>> digest("lda", 5) == digest("lda", 5), digest("lda", 5) == digest("lda", 6)
    (True, False)
    """
    return hashlib.blake2b(json.dumps(about).encode(), digest_size=10).hexdigest()


def said(path: Path) -> Path:
    """The file beside a model that says how it was made, or why not."""
    return path.with_name(f"{path.name}.json")


def keep(path: Path, make: Callable[[], Any], **about: Any) -> Kept:
    """Make a model and keep it at ``path``; a failure is kept, too, for it is a result.

    Raises
    ------
    OSError
        If the disk is full: that is no result.
    """
    began = time.perf_counter()
    reason, final, n_topics = "", True, None
    try:
        with one_thread():
            model = make()
        n_topics = int(model.n_topics)
        model.save(path)
    except TealeavesError as error:
        reason, final = str(error), not isinstance(error, MissingExtra)
    except Exception as error:  # a trainer's own failure is a result, too: the others go on
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        reason, final = f"{type(error).__name__}: {error}".rstrip(": "), False
    kept = Kept(path, time.perf_counter() - began, reason, final, n_topics)
    record(kept, **about)
    return kept


def record(kept: Kept, **about: Any) -> None:
    """Write what is said of a model, whole or not at all."""
    result = {"seconds": kept.seconds, "reason": kept.reason, "final": kept.final, "n_topics": kept.n_topics}
    part = said(kept.path).with_suffix(".part")
    write_json(part, result | about)
    part.replace(said(kept.path))


def kept(path: Path) -> Kept | None:
    """What is at ``path``; None if nothing was kept there.

    Raises
    ------
    FormatError
        If it is not whole.
    """
    beside = said(path)
    if not beside.is_file():
        return None
    try:
        about = json.loads(beside.read_text("utf-8"))
        n_topics = about.get("n_topics")
        found = Kept(path, float(about["seconds"]), str(about["reason"]), bool(about["final"]), n_topics)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(beside, f"is not whole: {error}") from None
    if not found.reason:
        try:
            found.load()
        except (TealeavesError, OSError) as error:
            raise FormatError(path, f"is not whole: {error}") from None
    return found


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra in one thread: in several, sums come in another order and last digits differ."""
    try:
        limits = import_module("threadpoolctl").threadpool_limits
    except ImportError:  # comes with scikit-learn, which is what needs it
        yield
        return
    with limits(1, user_api="blas"):
        yield
