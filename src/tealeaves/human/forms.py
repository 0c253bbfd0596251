"""Balanced forms: which items one rater gets, so that nobody sees a topic or an intruder twice."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tealeaves.errors import InputError
from tealeaves.human.item_sets import Item, ItemSet
from tealeaves.human.lots import Lots

TURNS = 200  # how often an item may be placed anew, on average, before the search is given up


@dataclass(frozen=True)
class Form:
    """What one rater gets, in order: counted items with checks and controls among them."""

    name: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class Forms(Sequence[Form]):
    """Forms of which each counted item stands in one; each is to be answered by ``answers`` raters."""

    forms: tuple[Form, ...]
    answers: int

    @property
    def raters(self) -> int:
        """How many raters are needed."""
        return len(self.forms) * self.answers

    def __len__(self) -> int:
        return len(self.forms)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        """One form, or some, by place."""
        return self.forms[index]


def marks_of(item: Item) -> frozenset[str]:
    """What nobody is to see twice: the item's topic, its intruding words or topic, its document.

    Makers of items write it in ``hidden["once"]``; of items that came without, it is the topic.
    """
    if item.topic is None:
        return frozenset(item.hidden.get("once", ()))
    return frozenset(item.hidden.get("once", [f"topic {item.model} {item.topic}"]))


def balanced_forms(
    items: ItemSet,
    size: int | None = None,
    *,
    n_forms: int | None = None,
    answers: int = 1,
    seed: int | None = None,
) -> Forms:
    """Forms in which every item stands once and nobody sees a topic or an intruder twice.

    Sizes differ by one at most, and so do the numbers of items of each model. No two items of a form share a
    topic, an intruding word or a document. All checks and controls are in every form, spread over it;
    practice items are in none, since every rater has them before.

    Parameters
    ----------
    items : ItemSet
        What is to be answered.
    size : int, optional
        How many counted items a rater can answer at most: as few forms are made as this allows.
    n_forms : int, optional
        Instead of ``size``: so many forms.
    answers : int
        How many raters answer each form, and so each item.
    seed : int, optional
        Of the draws; by default that of the items.

    Raises
    ------
    InputError
        If there are not so many forms without a topic or intruder twice; it says how many there are.

    Examples
    --------
    >>> rows = [(k, word) for k in range(3) for word in ("tax", "law")]
    >>> made = [
    ...     Item(f"i{i}", "word_intrusion", "lda", k, hidden={"once": [f"topic {k}", f"intruder {word}"]})
    ...     for i, (k, word) in enumerate(rows)
    ... ]
    >>> forms = balanced_forms(ItemSet("word_intrusion", made), 5, answers=8)
    >>> len(forms), forms.raters, [len(form.items) for form in forms]  # three items have the intruder "tax"
    (3, 24, [2, 2, 2])
    """
    if (size is None) == (n_forms is None):
        raise InputError("say either how many items a form has at most (size) or how many forms (n_forms)")
    if min(answers, *(n for n in (size, n_forms) if n is not None)) < 1:
        raise InputError("size, n_forms and answers must be at least 1")
    counted = [item for item in items if item.role == "item"]
    if not counted:
        raise InputError("there are no items to make forms of")
    if n_forms is not None and n_forms > len(counted):
        raise InputError(f"{n_forms} forms need as many items; there are {len(counted)}")
    lots = Lots(items.seed if seed is None else seed, "forms", items.digest)
    least, mark = _least(counted)
    fewest = n_forms if n_forms is not None else -(-len(counted) // (size or 1))
    tried = range(max(fewest, least), len(counted) + 1)
    found = next(made for n in tried if (made := _search(counted, n, lots)) is not None)
    if n_forms is not None and len(found) > n_forms:
        share = f"{least} items share {mark}" if n_forms < least else "no way was found to part them"
        asked, largest = -(-len(counted) // n_forms), -(-len(counted) // len(found))
        raise InputError(
            f"{n_forms} forms of {asked} items would show somebody a topic or an intruder twice ({share}); "
            f"{len(found)} forms of at most {largest} items do not"
        )
    extras = [item.id for item in items if item.role in ("check", "control")]
    names = [f"f{number:02d}" for number in range(1, len(found) + 1)]
    return Forms(
        tuple(
            Form(
                name,
                tuple(_spread(lots.of(name, "order").order(form), lots.of(name, "extras").order(extras))),
            )
            for name, form in zip(names, found, strict=True)
        ),
        answers,
    )


def _least(items: Sequence[Item]) -> tuple[int, str]:
    """How many forms are needed at least, and what is in so many items."""
    times = Counter(mark for item in items for mark in marks_of(item))
    return max(((n, mark) for mark, n in times.items()), default=(1, ""), key=lambda one: (one[0], one[1]))


def _search(items: Sequence[Item], n_forms: int, lots: Lots) -> list[list[str]] | None:
    """Ids of each form, or None if none were found.

    How many items of each model a form has is fixed first, by dealing them out; then every item takes a place
    where it meets nothing of its own, or, if there is none, drives out the fewest items, which
    look for places of their own. For items of one topic and one intruder each this is colouring the edges
    of a bipartite graph, which as many forms as the commonest topic or intruder has items always allow.
    """
    order = [items[i] for i in lots.of("search", n_forms).order(range(len(items)))]
    models = sorted({item.model for item in items})
    room: dict[tuple[int, str], int] = defaultdict(int)
    for number, item in enumerate(sorted(order, key=lambda one: models.index(one.model))):
        room[number % n_forms, item.model] += 1
    marks = {item.id: marks_of(item) for item in items}
    forms: list[list[Item]] = [[] for _ in range(n_forms)]
    waiting = deque(sorted(order, key=lambda item: -len(marks[item.id])))
    tries: Counter[tuple[str, int]] = Counter()
    for turn in range(TURNS * len(items)):
        if not waiting:
            return [[item.id for item in form] for form in forms]
        item = waiting.popleft()
        best, out = _cheapest(item, forms, marks, room, tries, lots.of(turn))
        if best is None:
            return None
        forms[best] = [other for other in forms[best] if other not in out]
        forms[best].append(item)
        tries[item.id, best] += 1
        waiting.extend(out)
    return None


def _cheapest(
    item: Item,
    forms: Sequence[list[Item]],
    marks: dict[str, frozenset[str]],
    room: dict[tuple[int, str], int],
    tries: Counter[tuple[str, int]],
    lots: Lots,
) -> tuple[int | None, list[Item]]:
    """The form in which an item drives out the fewest, where it was least often, and whom it drives out."""
    best: tuple[int, int, int] | None = None
    chosen: list[Item] = []
    for turn, number in enumerate(lots.order(range(len(forms)))):
        form = forms[number]
        if not room[number, item.model]:
            continue
        out = [other for other in form if marks[item.id] & marks[other.id]]
        same = [other for other in form if other.model == item.model and other not in out]
        if len(same) + 1 > room[number, item.model]:
            out.append(same[lots.of("out").one(range(len(same)))])
        cost = (len(out) + tries[item.id, number], turn, number)
        if best is None or cost < best:
            best, chosen = cost, out
    return (None if best is None else best[2]), chosen


def _spread(items: Sequence[str], extras: Sequence[str]) -> Iterable[str]:
    """The extras at even distances among the items, none first."""

    def mixed() -> Iterator[str]:
        done = 0
        for i, item in enumerate(items, start=1):
            yield item
            while done < len(extras) and i * (len(extras) + 1) >= (done + 1) * len(items):
                yield extras[done]
                done += 1

    return mixed()
