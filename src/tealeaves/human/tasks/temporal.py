"""What both tasks over time share: evenly spaced slices of a topic (Karakkaparambil James et al. 2024)."""

from collections.abc import Sequence
from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError


def places(model: DynamicTopicModel, n_slices: int, slices: Sequence[Any] | None) -> list[int]:
    """The slices shown, by number: ``n_slices`` from first to last, as evenly spaced as they can be.

    Raises
    ------
    InputError
        If the model has fewer, or there is no such slice.
    """
    if slices is not None:
        unknown = [str(name) for name in slices if str(name) not in model.slice_labels]
        if unknown:
            raise InputError(
                f"model {model.name!r} has no slice {', '.join(unknown)}; "
                f"it has {', '.join(model.slice_labels)}"
            )
        return [model.slice_labels.index(str(name)) for name in slices]
    if not 2 <= n_slices <= model.n_slices:
        raise InputError(
            f"{n_slices} slices are to be shown, but model {model.name!r} has {model.n_slices}: "
            f"n_slices= may be 2 to {model.n_slices}"
        )
    last, gaps = model.n_slices - 1, n_slices - 1
    return [(2 * i * last + gaps) // (2 * gaps) for i in range(n_slices)]  # rounded half up


def words_of(
    model: DynamicTopicModel,
    tops: Sequence[Sequence[Sequence[str]]],
    chosen: Sequence[int],
    topic: int,
    n: int,
) -> list[list[str]] | str:
    """The words of a topic in the slices shown, or which slice lacks them."""
    lists = [list(tops[t][topic]) for t in chosen]
    for t, words in zip(chosen, lists, strict=True):
        if len(words) < n:
            return f"{n} words are to be shown, but in slice {model.slice_labels[t]} it has {len(words)}"
    return lists


def shown(labels: Sequence[str], lists: Sequence[Sequence[str]]) -> dict[str, Any]:
    """As a page needs it."""
    return {"slices": [{"label": a, "words": list(b)} for a, b in zip(labels, lists, strict=True)]}
