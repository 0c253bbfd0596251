"""Tasks in which words are rated on three steps: one list, or one subject in several slices of time."""

from collections.abc import Mapping, Sequence
from typing import Any

from tealeaves.human.app.pages.task import Row, Shown, Task, step_of
from tealeaves.human.app.pages.wording import Wording


class Rating(Task):
    """Rate what is shown, on three steps, in one or more respects."""

    def __init__(self, name: str, respects: Sequence[str], familiarity: bool = True) -> None:
        super().__init__(name, familiarity)
        self.respects = tuple(respects)

    def question(self, item: Shown, order: Sequence[int], text: Wording) -> Row:
        if "slices" not in item.shown:
            return {"words": [str(word) for word in item.shown["words"]]}
        parts = item.shown["slices"]
        return {"slices": [{"label": str(part["label"]), "words": list(part["words"])} for part in parts]}

    def answer(
        self, form: Mapping[str, str], item: Shown, order: Sequence[int], wrong: dict[str, str]
    ) -> Row:
        return {respect: step_of(form, respect, wrong) for respect in self.respects}

    def fields(self, value: Mapping[str, Any], item: Shown, order: Sequence[int]) -> dict[str, str]:
        return {respect: str(value[respect]) for respect in self.respects}
