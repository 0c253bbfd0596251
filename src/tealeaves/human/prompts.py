"""Items as prompts for a model as rater: what a person would see, in words, without key or source."""

from typing import Any

from tealeaves.human.item_sets import Item


def prompts(item: Item) -> dict[str, Any]:
    """One item as a prompt."""
    return {"id": item.id, "prompt": "", "choices": list(item.options)}
