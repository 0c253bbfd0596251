"""Tasks in which raters name topics: two compared with each other, or one labelled."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tealeaves.human.app.pages.task import Row, Shown, Task, document, one_of, step_of, words_of
from tealeaves.human.app.pages.wording import Wording

T = TypeVar("T")
LABELS = {"0": 0, "0.5": 0.5, "1": 1}


class PairMatching(Task):
    """Name each of two topics, then say whether they are about the same.

    The order says which of both stands first: ``[1, 0]`` turns them. Names in a value are of the item's
    first topic and its second, wherever they stood.
    """

    def question(self, item: Shown, order: Sequence[int], text: Wording) -> Row:
        first, second = _turned([item.shown["first"], item.shown["second"]], order)
        both = set(first["words"]) & set(second["words"])
        return {
            side: {
                "words": [{"text": str(word), "same": word in both} for word in topic["words"]],
                "documents": [document(shown) for shown in topic["documents"]],
            }
            for side, topic in (("first", first), ("second", second))
        }

    def answer(
        self, form: Mapping[str, str], item: Shown, order: Sequence[int], wrong: dict[str, str]
    ) -> Row:
        names = _turned([words_of(form, field, wrong) for field in ("name_a", "name_b")], order)
        label = one_of(form, "label", list(LABELS), wrong)
        if "label" in wrong:
            wrong["label"] = "same"
        return {"label": LABELS.get(label), "names": names}

    def fields(self, value: Mapping[str, Any], item: Shown, order: Sequence[int]) -> dict[str, str]:
        label = next(text for text, number in LABELS.items() if number == value["label"])
        name_a, name_b = _turned(value["names"], order)
        return {"label": label, "name_a": name_a, "name_b": name_b}


def _turned(both: Sequence[T], order: Sequence[int]) -> list[T]:
    """Two things as a rater has them; turned twice they are as they were."""
    return [both[i] for i in order] if order else list(both)


class Labelling(Task):
    """Name one topic and say how sure one is, or that no name fits."""

    def question(self, item: Shown, order: Sequence[int], text: Wording) -> Row:
        documents = [document(shown) for shown in item.shown.get("documents") or ()]
        return {"words": [str(word) for word in item.shown["words"]], "documents": documents}

    def answer(
        self, form: Mapping[str, str], item: Shown, order: Sequence[int], wrong: dict[str, str]
    ) -> Row:
        none = form.get("none", "") == "1"
        missing: dict[str, str] = {}
        label = words_of(form, "label", missing)
        if missing.get("label") == "long" or not none:
            wrong.update(missing)
        return {"label": label, "sure": step_of(form, "sure", wrong), "none": none}

    def fields(self, value: Mapping[str, Any], item: Shown, order: Sequence[int]) -> dict[str, str]:
        fields = {"label": value["label"], "sure": str(value["sure"])}
        return {**fields, "none": "1"} if value["none"] else fields
