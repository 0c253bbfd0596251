"""Items that are not counted: checks and practice of obvious things, controls of random words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from types import ModuleType
from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.human.intruders import stems_of
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.obvious import others, subjects
from tealeaves.human.request import Model, Request

BESIDE = 4  # subjects that stand beside a marked word
FIRST = 50  # words of a topic that random topics are drawn from


def extras(
    request: Request,
    module: ModuleType,
    counted: Sequence[Item],
    options: Mapping[str, Any],
    checks: int,
    controls: int,
    practice: int,
    obvious: Mapping[str, Any] | None,
) -> list[Item]:
    """Checks, controls and practice items of a task, in this order, dressed like the ``counted`` ones.

    Raises
    ------
    InputError
        If the task has none, or there are not enough subjects: nobody is to see one twice.
    """
    wanted = ["check"] * checks + ["practice"] * practice
    if wanted and not hasattr(module, "obvious"):
        raise InputError(
            f"{request.task} has no checks and no practice items: it has no answers that are right"
        )
    if controls and not hasattr(module, "control"):
        raise InputError(
            f"{request.task} has no controls: among random words no answer is right; take checks, or "
            "controls of a task in which topics are rated or named"
        )
    told = {**options, "labels": _labels(request, options), "request": request, "made": counted}

    def like(purpose: Lots) -> Item:
        """One that counts, which the check is dressed like."""
        fit = module.patterns(counted) if hasattr(module, "patterns") else counted
        return fit[purpose.of("like").one(range(len(fit)))]

    made = []
    if wanted:
        known = subjects(obvious)
        if len(wanted) > len(known):
            raise InputError(
                f"{len(wanted)} checks and practice items need as many obvious subjects; there are "
                f"{len(known)}: ask for fewer, or hand over obvious="
            )
        for role, name in zip(wanted, request.lots("subjects").order([s.name for s in known]), strict=False):
            subject = next(s for s in known if s.name == name)
            lots = request.lots("subject", name)
            rest = others(subject, known, lots.of("rest"))
            if len(rest) < BESIDE:
                raise InputError(
                    f"{BESIDE} obvious subjects must not be near to {name!r}; there are {len(rest)}"
                )
            if hasattr(module, "TEXTS") and not all(one.text for one in [subject, *rest]):
                raise InputError(f"{request.task} shows texts, which obvious= needs for every subject")
            one = module.obvious(request.task, subject, rest, lots, like=like(lots), **told)
            made.append(replace(one, role=role))
    for number in range(controls):
        lots = request.lots("control", number)
        words = _random_words(request.models, module.control_words(**told), lots)
        one = module.control(request.task, words, lots, like=like(lots), **told)
        made.append(replace(one, role="control"))
    place = {"check": 0, "control": 1, "practice": 2}
    return sorted(made, key=lambda one: place[one.role])


def _labels(request: Request, options: Mapping[str, Any]) -> list[str]:
    """The labels of slices, as items of the first model show them."""
    from tealeaves.human.tasks.temporal import places

    model = next(iter(request.models.values()), None)
    if not isinstance(model, DynamicTopicModel) or "n_slices" not in options:
        return []
    return [model.slice_labels[t] for t in places(model, options["n_slices"], options["slices"])]


def _random_words(models: Mapping[str, Model], n: int, lots: Lots) -> list[str]:
    """Words of the models' topics that do not go together: by turns of each topic one, no stem twice.

    Raises
    ------
    InputError
        If there are too few.
    """
    topics: list[list[str]] = []
    for model in models.values():
        slices = model.top_words(FIRST) if isinstance(model, DynamicTopicModel) else [model.top_words(FIRST)]
        for topic in range(model.n_topics):
            topics.append(sorted({word for lists in slices for word in lists[topic]}))
    queues = [lots.of(i).order(words) for i, words in enumerate(topics)]
    order = [queues[i] for i in lots.of("topics").order(range(len(queues)))]
    found: list[str] = []
    seen: set[str] = set()
    for queue in cycle(order):
        while queue:
            word = queue.pop(0)
            if not (stems := stems_of(word, "english")) & seen:
                seen |= stems
                found.append(word)
                break
        if len(found) == n:
            return lots.of("order").order(found)
        if not any(order):
            break
    raise InputError(
        f"a control needs {n} random words of different stems; the models' topics have {len(found)}"
    )
