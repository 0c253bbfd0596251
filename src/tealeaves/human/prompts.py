"""Items as prompts for a model as rater: what a person would see, in words, without key, role or source."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from tealeaves.human.item_sets import CHOICES, Item

QUESTIONS = {
    "word_intrusion": ("Most of these words belong together. Which one does not belong with the others?"),
    "word_set_intrusion": (
        "All but one of these groups of words are about the same thing. Which is the other one?"
    ),
    "topic_intrusion": (
        "Each list of words stands for a subject. All but one have to do with this text. Which one does not?"
    ),
    "topic_word_matching": (
        "Each list of words stands for a subject. Which one fits the word between asterisks best, as "
        "it is meant here?"
    ),
    "temporal_word_intrusion": (
        "These are the words of one subject at several points in time. Words come and go as a subject"
        " changes, but one word was put in from elsewhere. Which one?"
    ),
    "word_set_rating": (
        "How well do these words belong together? rating: 1 not very related, 2 somewhat, 3 very related."
    ),
    "temporal_rating": (
        "These are the words of one subject at several points in time. How well do the words belong "
        "together? relatedness: 1 not very related, 2 somewhat, 3 very related. How evenly does the "
        "list change from one time to the next? smoothness: 1 it jumps, 2 in part, 3 evenly, little "
        "by little."
    ),
    "topic_pair_matching": (
        "Two topics are shown by their words and texts. Name the concept of each, as specifically as "
        "possible (names). Then say whether they are the same. label: 1 the same, 0.5 the same but "
        "for noise or a small difference, 0 not the same."
    ),
    "topic_labelling": (
        "Name what these words and texts are about, as specifically as possible (label). sure: 1 not "
        "sure, 2 fairly, 3 very sure. none: true if no name fits."
    ),
}
ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "word_set_rating": {"rating": [1, 2, 3]},
    "temporal_rating": {"relatedness": [1, 2, 3], "smoothness": [1, 2, 3]},
    "topic_pair_matching": {"label": [0, 0.5, 1], "names": ["text", "text"]},
    "topic_labelling": {"label": "text", "sure": [1, 2, 3], "none": [True, False]},
}  # what may stand in each field of an answer


def prompts(item: Item) -> dict[str, Any]:
    """One item as a prompt.

    Returns
    -------
    dict
        ``id``; ``prompt``; and of tasks in which one option is chosen ``choices``, a dict of letters and what
        they stand for, else ``answer_form``, the fields of an answer and what may stand in each. An answer
        is imported as ``{"id": …, "answer": "B"}`` (the letter or the text), or ``{"id": …, "answer": {…}}``.

    Examples
    --------
    >>> made = prompts(Item("i0001", "word_intrusion", "lda", 0, options=("oil", "tax", "gas"), key="tax"))
    >>> made["choices"]
    {'A': 'oil', 'B': 'tax', 'C': 'gas'}
    >>> print(made["prompt"])
    Most of these words belong together. Which one does not belong with the others?
    <BLANKLINE>
    A: oil
    B: tax
    C: gas
    <BLANKLINE>
    Answer with one letter.
    """
    parts = [QUESTIONS.get(item.task, ""), *_shown(item)]
    if item.task in CHOICES:
        choices = dict(zip(_letters(len(item.options)), item.options, strict=True))
        parts += [
            "\n".join(f"{letter}: {text}" for letter, text in choices.items()),
            "Answer with one letter.",
        ]
        return {"id": item.id, "prompt": "\n\n".join(parts), "choices": choices}
    form = ANSWERS.get(item.task, {})
    parts.append(f"Answer with JSON of the fields {', '.join(form)}.")
    return {"id": item.id, "prompt": "\n\n".join(parts), "answer_form": dict(form)}


def _letters(n: int) -> list[str]:
    """A to Z, then AA, AB, …"""
    letters = list(ascii_uppercase)
    return [*letters, *(a + b for a in letters for b in letters)][:n]


def _shown(item: Item) -> list[str]:
    """What a page would show, as paragraphs."""
    shown = item.shown
    if "before" in shown:
        return [f"{shown['before']}*{shown['word']}*{shown['after']}"]
    if "slices" in shown:
        return ["\n".join(f"{part['label']}: {', '.join(part['words'])}" for part in shown["slices"])]
    if "first" in shown:
        return [
            f"{name} topic: {text}"
            for name, side in (("First", "first"), ("Second", "second"))
            for text in _topic(shown[side]["words"], shown[side]["documents"])
        ]
    if "words" in shown:
        return _topic(shown["words"], shown.get("documents", ()))
    return [f"{shown['title']}\n{shown['text']}".strip()] if "text" in shown else []


def _topic(words: Sequence[str], documents: Sequence[Mapping[str, str]]) -> list[str]:
    return [", ".join(words), *(f"{d['title']}\n{d['text']}".strip() for d in documents)]
