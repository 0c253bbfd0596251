"""Forms around the questions: consent, screening, and the quiz on the instructions."""

from collections.abc import Mapping, Sequence
from typing import Any

from tealeaves.human.app.pages.task import AnswerError
from tealeaves.human.app.pages.wording import Wording

Row = dict[str, Any]


def parse_consent(form: Mapping[str, str]) -> Row:
    """What a rater agreed to: ``agree``, and whether answers are kept if the rater stops early (``stop``).

    Raises
    ------
    AnswerError
        If neither the button "No, thank you" was pressed nor the form filled in.

    Examples
    --------
    >>> parse_consent({"agree": "1", "stop": "keep"})
    {'agree': True, 'stop': 'keep'}
    >>> parse_consent({"no": "1"})
    {'agree': False, 'stop': 'delete'}
    """
    if form.get("no"):
        return {"agree": False, "stop": "delete"}
    wrong = {}
    if form.get("stop") not in ("keep", "delete"):
        wrong["stop"] = "stop"
    if form.get("agree") != "1":
        wrong["agree"] = "agree"
    if wrong:
        raise AnswerError(wrong)
    return {"agree": True, "stop": form["stop"]}


def parse_choices(form: Mapping[str, str], questions: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The option chosen at each question of a screening or a quiz, counted from 0.

    Raises
    ------
    AnswerError
        If a question has no answer.

    Examples
    --------
    >>> parse_choices({"q1": "2"}, [{"name": "q1", "question": "How old?", "options": ["under 18", "older"]}])
    {'q1': 1}
    """
    given, wrong = {}, {}
    for question in questions:
        name = question["name"]
        places = {str(place + 1): place for place in range(len(question["options"]))}
        if form.get(name, "") in places:
            given[name] = places[form[name]]
        else:
            wrong[name] = "choice"
    if wrong:
        raise AnswerError(wrong)
    return given


def quiz(task: str, text: Wording) -> list[Row]:
    """The questions on a task's instructions; ``right`` and ``why`` of each are not for its page."""
    return [
        {
            "name": f"q{i}",
            "question": text.fill(entry["question"]),
            "options": [text.fill(option) for option in entry["options"]],
            "right": entry["right"],
            "why": text.fill(entry["why"]),
        }
        for i, entry in enumerate(text.get(f"{task}.quiz"), start=1)
    ]


def wrong_answers(given: Mapping[str, int], questions: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Why the questions answered wrongly have another answer, by name; empty if all are right."""
    return {q["name"]: q["why"] for q in questions if given.get(q["name"]) != q["right"]}
