"""Questions of the screening as one writes them: who chooses a wrong option does not take part."""

import re
from typing import Any

from tealeaves.errors import InputError

_OPTION = re.compile(r"(?:^|\s)([+-])(?=\S)")


def question(text: str) -> dict[str, Any]:
    """A question in one line or several, options with + (lets in) or - (does not) before them.

    Raises
    ------
    InputError
        If there is no question, are fewer than two options, or none lets in.

    Examples
    --------
    >>> question("Is English your first language? +Yes -No")
    {'question': 'Is English your first language?', 'options': ['Yes', 'No'], 'accept': [0]}
    """
    asked, *rest = _OPTION.split(" ".join(text.split()))
    signs, options = rest[::2], [option.strip() for option in rest[1::2]]
    accept = [place for place, sign in enumerate(signs) if sign == "+"]
    if not asked.strip() or len(options) < 2 or not accept:
        raise InputError(
            f'a question of the screening is "Is English your first language? +Yes -No", with + before every '
            f"option that lets in; got {text!r:.80}"
        )
    return {"question": asked.strip(), "options": options, "accept": accept}


def questions(text: str) -> tuple[dict[str, Any], ...]:
    """Several questions, an empty line between them."""
    parts = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    return tuple(question(part) for part in parts if part.strip())


def written(asked: "tuple[dict[str, Any], ...]") -> str:
    """The reverse of `questions`: a line for the question and one for each option.

    Examples
    --------
    >>> print(written(({"question": "Do you read English?", "options": ["Yes", "No"], "accept": [0]},)))
    Do you read English?
    +Yes
    -No
    """
    return "\n\n".join(
        "\n".join(
            [
                one["question"],
                *(f"{'+' if i in one['accept'] else '-'}{o}" for i, o in enumerate(one["options"])),
            ]
        )
        for one in asked
    )
