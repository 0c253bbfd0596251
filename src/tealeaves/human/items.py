"""items(): what people are to judge, made from models in one call and frozen with its seed."""

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError
from tealeaves.human.item_sets import TASKS, Item, ItemSet
from tealeaves.human.request import Request, Stream, Unmade, fingerprint, named, numbered

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.matcher_pairs import TopicPairs

__all__ = ["Item", "ItemSet", "items"]


def items(
    task: str,
    models: Any,
    *,
    corpus: "Corpus | None" = None,
    n: int | None = None,
    seed: int = 0,
    pairs: "TopicPairs | None" = None,
    **options: Any,
) -> ItemSet:
    """Items of a human study, made from one or several models.

    Examples
    --------
    >>> words = [["oil", "opec", "crude"], ["shares", "stock", "dividend"], ["wheat", "corn", "grain"]]
    >>> from tealeaves.model import TopicModel
    >>> made = items("word_intrusion", TopicModel.from_words(words), seed=1, n_words=3)
    >>> len(made), len(made[0].options), made[0].key in made[0].options
    (3, 4, True)
    """
    if task not in TASKS:
        raise InputError(f"there is no task {task!r}; there are {', '.join(TASKS)}")
    if n is not None and n < 1:
        raise InputError(f"n is the number of items, at least 1; got {n}")
    maker = import_module(f"tealeaves.human.tasks.{task}").streams
    known = {name: p.default for name, p in inspect.signature(maker).parameters.items() if name != "request"}
    if unknown := sorted(set(options) - set(known)):
        raise InputError(f"{task} has no option {', '.join(unknown)}; it has {', '.join(known)}")
    by_name = named(models)
    request = Request(task, by_name, corpus, seed, n, pairs)
    made, without = _drawn(request, maker(request, **options))
    settings = {
        "n": n,
        "options": {**known, **options},
        "models": [
            {"name": name, "topics": model.n_topics, "fingerprint": fingerprint(model)}
            for name, model in by_name.items()
        ],
        "corpus": None if corpus is None else corpus.fingerprint,
    }
    return ItemSet(task, numbered(made), seed, settings, without=without)


def _drawn(
    request: Request, streams: dict[str, Stream]
) -> tuple[list[Item], list[tuple[str, int | None, str]]]:
    """Items of all models, mixed, and the topics without.

    In each round every model gives one, in an order drawn for the round, so that the first n items are of
    all models alike.
    """
    made: list[Item] = []
    without: list[tuple[str, int | None, str]] = []
    open_: dict[str, Iterator[Item | Unmade]] = dict(streams)
    number = 0
    while open_:
        for name in request.lots("round", number).order(open_):
            for one in open_[name]:
                if isinstance(one, Item):
                    made.append(one)
                    break
                without.append((name, one.topic, one.reason))
            else:
                del open_[name]
        number += 1
    kept = made if request.n is None else made[: request.n]
    return kept, sorted(without, key=lambda lack: (list(streams).index(lack[0]), lack[1] or 0))
