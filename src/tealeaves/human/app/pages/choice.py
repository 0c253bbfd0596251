"""Tasks in which one option is chosen: four kinds of intruders, and a list of words for a marked word."""

from collections.abc import Mapping, Sequence
from typing import Any

from tealeaves.human.app.pages.task import Row, Shown, Task, document, one_of
from tealeaves.human.app.pages.wording import Wording


class Choice(Task):
    """Choose one of the options, which are named by their places on the page."""

    def question(self, item: Shown, order: Sequence[int], text: Wording) -> Row:
        return {"options": [{"value": str(p), "text": item.options[i]} for p, i in enumerate(order, start=1)]}

    def answer(
        self, form: Mapping[str, str], item: Shown, order: Sequence[int], wrong: dict[str, str]
    ) -> Row:
        place = one_of(form, "choice", [str(p) for p in range(1, len(order) + 1)], wrong)
        return {"choice": "" if wrong else item.options[order[int(place) - 1]]}

    def fields(self, value: Mapping[str, Any], item: Shown, order: Sequence[int]) -> dict[str, str]:
        shown = [item.options[i] for i in order]
        return {"choice": str(shown.index(value["choice"]) + 1)} if value["choice"] in shown else {}


class ChoiceBesideText(Choice):
    """Choose the list of words that does not fit a document."""

    def question(self, item: Shown, order: Sequence[int], text: Wording) -> Row:
        return {**super().question(item, order, text), "document": document(item.shown)}


class ChoiceForToken(Choice):
    """Choose the list of words that fits one marked word of a snippet."""

    def question(self, item: Shown, order: Sequence[int], text: Wording) -> Row:
        snippet = {part: str(item.shown[part]) for part in ("before", "word", "after")}
        return {**super().question(item, order, text), "snippet": snippet}


class ChoiceInSlices(Choice):
    """Choose a word of a subject shown in several slices of time.

    A word that stands in several slices is one option, wherever it is chosen. In every slice words follow
    the order of the page: the place that a slice's own order gave the word from elsewhere would tell it.
    """

    def question(self, item: Shown, order: Sequence[int], text: Wording) -> Row:
        place = {item.options[i]: p for p, i in enumerate(order, start=1)}
        slices = []
        for part in item.shown["slices"]:
            known = sorted((word for word in part["words"] if word in place), key=place.__getitem__)
            other = sorted(word for word in part["words"] if word not in place)
            words = [{"value": str(place[word]), "text": word} for word in known]
            slices.append(
                {"label": str(part["label"]), "words": words + [{"value": "", "text": w} for w in other]}
            )
        return {"slices": slices}
