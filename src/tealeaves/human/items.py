"""items(): what people are to judge, made from models in one call and frozen with its seed."""

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
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
    models: Any = None,
    *,
    corpus: "Corpus | None" = None,
    n: int | None = None,
    seed: int = 0,
    checks: int = 0,
    controls: int = 0,
    practice: int = 0,
    obvious: Mapping[str, Any] | None = None,
    pairs: "TopicPairs | None" = None,
    **options: Any,
) -> ItemSet:
    """Items of a human study, made from one or several models.

    Parameters
    ----------
    task : str
        word_intrusion, topic_intrusion, word_set_intrusion, topic_word_matching, temporal_word_intrusion;
        word_set_rating, temporal_rating, topic_pair_matching, topic_labelling; reference_topic_curation.
    models
        A model, a list of them, or a dict by name; a `TopicModel`, or for the temporal tasks a
        `DynamicTopicModel`; or what `read_model` reads.
    corpus : Corpus, optional
        The documents of the models. Tasks that show documents need their texts; for intruding words it gives
        the document frequencies that are matched. By default the one that a model carries.
    n : int, optional
        The number of items, of all models alike. By default one of each topic; of topic intrusion as many
        as there are topics, of topic-word matching a hundred a model, of pairs all there are, or 300.
    seed : int
        Of all draws. The same inputs and seed give the same items, with the same digest. An item depends
        on its model's name and topic, not on ``n``: a smaller n gives the first of the same. Of intruders
        that are as good those are drawn that no item before has; nothing else depends on other items.
    checks, practice : int
        Items about plain things, with an answer that is obvious to who reads them: hidden among the others,
        and before them with a sentence of feedback. They are in English; ``obvious`` is for other languages.
    controls : int
        Synthetic topics of random words of the models, of the tasks in which topics are rated or named: who
        finds them good does not look. ``hidden["expected"]`` says what is right of these and of checks.
    obvious : mapping, optional
        For checks and practice: by the name of a subject at least 15 words of it, or
        ``{"words": […], "text": "…", "word": "…"}`` for tasks with texts, ``"near"`` naming subjects that one
        may take for it.
    pairs : TopicPairs, optional
        For topic_pair_matching, of `Matcher.sample`; drawn from the models if not handed over.
    options
        Of the task: ``inspect.signature(tealeaves.human.tasks.word_intrusion.streams)``, …; the number of
        words shown (``n_words``), the rules of intruders (``outside``, ``within``, ``stemmer``,
        ``df_factor``, ``never``), the slices shown (``n_slices``, ``slices``). The result's ``settings`` has
        them all.

    Returns
    -------
    ItemSet
        The items, models mixed; then checks, controls and practice. Where the rules leave a topic without an
        item, ``without`` has it and why: rules are not bent.

    Raises
    ------
    InputError
        If there is no such task or option, or the models are not of its kind.
    MissingInput
        If the task shows documents and there is no corpus with texts.

    Examples
    --------
    >>> from tealeaves.model import TopicModel
    >>> model = TopicModel.from_words(
    ...     [
    ...         ["oil", "opec", "bpd", "crude", "gulf"],
    ...         ["dividend", "shares", "stock", "split", "payable"],
    ...         ["wheat", "corn", "grain", "tonnes", "crop"],
    ...     ],
    ...     name="lda",
    ... )
    >>> made = items("word_intrusion", model, seed=1)
    >>> len(made), made.seed, made[0].id
    (3, 1, 'i0001')
    >>> made[0].topic, made[0].options, made[0].key
    (0, ('opec', 'gulf', 'shares', 'crude', 'bpd', 'oil'), 'shares')
    >>> print(*made.notes, sep="\\n")
    lda is lists of words alone: intruders are outside the topic's list, and not known to be in its lower half
    lda: no corpus, so the document frequencies of intruders are not matched
    """
    _check(task, n, checks, controls, practice)
    module = import_module(f"tealeaves.human.tasks.{task}")
    known = _options(module, options, task)
    by_name = named(models, needed=pairs is None)
    request = Request(task, by_name, corpus, seed, n, pairs)
    made, without = _drawn(request, module.streams(request, **options))
    passed: Counter[tuple[str, str]] = Counter((m, why) for m, k, why in without if k is None)
    notes = [
        *(f"{model}: {count:,} {_of(count, why)} passed over" for (model, why), count in passed.items()),
        *_intruder_notes(request, known),
        *(module.notes(made) if hasattr(module, "notes") else ()),
    ]
    if n is not None and len(made) < n:
        notes.append(f"{n} items were asked for, but only {len(made)} can be made")
    if not made and checks + controls + practice:
        why = next((f", such as {model} {k}: {said}" for model, k, said in without if k is not None), "")
        raise InputError(
            f"no topic has a valid item of {task}{why}; without any there is none that checks, controls or "
            "practice could be like"
        )
    from tealeaves.human.extras import extras

    more = extras(request, module, made, {**known, **options}, checks, controls, practice, obvious)
    notes += _check_notes(made, more)
    settings = {
        "n": n,
        "checks": checks,
        "controls": controls,
        "practice": practice,
        "obvious": obvious,
        "options": {name: _told(value) for name, value in {**known, **options}.items()},
        "models": [
            {"name": name, "topics": model.n_topics, "fingerprint": fingerprint(model)}
            for name, model in by_name.items()
        ],
        "corpus": None if corpus is None else corpus.fingerprint,
    }
    lacking = [lack for lack in without if lack[1] is not None]
    return ItemSet(task, numbered([*made, *more]), seed, settings, notes, lacking)


def _check(task: str, n: int | None, checks: int, controls: int, practice: int) -> None:
    if task not in TASKS:
        raise InputError(f"there is no task {task!r}; there are {', '.join(TASKS)}")
    if n is not None and n < 1:
        raise InputError(f"n is the number of items, at least 1; got {n}")
    for name, number in (("checks", checks), ("controls", controls), ("practice", practice)):
        if number < 0:
            raise InputError(f"{name} is a number of items, at least 0; got {number}")


def _options(module: ModuleType, options: Mapping[str, Any], task: str) -> dict[str, Any]:
    """The options of a task with their defaults."""
    parameters = inspect.signature(module.streams).parameters.items()
    known = {name: parameter.default for name, parameter in parameters if name != "request"}
    if unknown := sorted(set(options) - set(known)):
        raise InputError(f"{task} has no option {', '.join(unknown)}; it has {', '.join(known)}")
    for name, value in options.items():
        if name.startswith("n_") and (not isinstance(value, int) or value < 1):
            raise InputError(f"{name} is a number, at least 1; got {value!r}")
    return known


def _drawn(
    request: Request, streams: dict[str, Stream]
) -> tuple[list[Item], list[tuple[str, int | None, str]]]:
    """Items of all models, mixed, and what none was made of.

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
    place = {name: i for i, name in enumerate(streams)}
    return made[: request.n], sorted(without, key=lambda lack: (place[lack[0]], lack[1] or 0))


def _of(count: int, many: str) -> str:
    """What was passed over, of which the first word is many of them: tokens, documents."""
    what, _, which = many.partition(" ")
    return f"{what.removesuffix('s') if count == 1 else what} {which}"


def _intruder_notes(request: Request, known: Mapping[str, Any]) -> list[str]:
    """Which of the rules of intruders could not be applied to a model."""
    if "df_factor" not in known:
        return []
    found = []
    for name, model in request.models.items():
        if model.topic_word is None:
            found.append(
                f"{name} is lists of words alone: intruders are outside the topic's list, and not known to "
                "be in its lower half"
            )
        if request.corpus_of(model) is None:
            found.append(f"{name}: no corpus, so the document frequencies of intruders are not matched")
    return found


def _check_notes(made: Sequence[Item], more: Sequence[Item]) -> list[str]:
    """Where checks have fewer options than any item that counts, so that one may know them by that."""
    counts = sorted({len(item.options) for item in made})
    fewer = sorted(
        {len(item.options) for item in more} - set(range(min(counts), max(counts) + 1)) if made else ()
    )
    if not fewer:
        return []
    return [
        f"checks and practice items show {fewer[0]} different words and items {counts[0]} to {counts[-1]}, "
        "as the obvious subjects have no more: checks out of a pilot (as_checks) cannot be told from items"
    ]


def _told(value: Any) -> Any:
    """An option as settings keep it."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple):
        return [_told(each) for each in value]
    return str(getattr(value, "fingerprint", value))
