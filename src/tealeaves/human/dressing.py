"""Checks, controls and practice dressed like an item that counts: as many words and documents, as long."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError
from tealeaves.human import snippets
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.obvious import Subject

if TYPE_CHECKING:
    from tealeaves.human.request import Request

GOES_ON = " …"  # how a text ends that was cut
TRIES = 1000  # documents looked at for one that is as long as others
Document = dict[str, str]


def words(subject: Subject, n: int, lots: Lots) -> list[str]:
    """n words of a subject in random order.

    Raises
    ------
    InputError
        If it has not so many: a check with fewer words than other items would be known by that.
    """
    if n > len(subject.words):
        raise InputError(
            f"items show {n} words of a topic, but the obvious subject {subject.name!r} has "
            f"{len(subject.words)}, so that checks would be known by it: hand over obvious= with more words, "
            "or do without checks and practice"
        )
    return lots.order(subject.words)[:n]


def sentences(subjects: Sequence[Subject], lots: Lots) -> Iterator[str]:
    """Sentences about the subjects by turns, without end: new ones, and among them those of their texts."""
    turn = 0
    while True:
        for subject in subjects:
            mine = lots.of(subject.name, turn)
            frame = mine.of("frame").one(subject.frames)
            a, b, c = mine.of("words").order(subject.words)[:3]
            made = frame.format(a=a, b=b, c=c)
            yield made[:1].upper() + made[1:]
        if not turn:
            yield from (subject.text for subject in subjects if subject.text)
        turn += 1


def text(like: str, told: Iterator[str]) -> str:
    """A text of these sentences, with the paragraphs of another text and at most as long."""
    return "\n\n".join(_paragraph(part, told) for part in like.split("\n\n"))


def _paragraph(like: str, told: Iterator[str]) -> str:
    goes_on = like.endswith(GOES_ON)
    room = max(len(like) - (len(GOES_ON) if goes_on else 1), 1)
    made = next(told)
    while len(made) <= room:
        made = f"{made} {next(told)}"
    cut = made[: room + 1].rpartition(" ")[0] or made[:room]
    return cut + GOES_ON if goes_on else f"{cut.rstrip('.,;: ')}."


def title(like: str, subject: Subject, lots: Lots) -> str:
    """Words of a subject as a title, about as long as another and written like it."""
    made = ""
    for word in lots.order(subject.words):
        longer = f"{made}, {word}" if made else word[:1].upper() + word[1:]
        if made and len(longer) > len(like):
            break
        made = longer
    return made.upper() if like.isupper() else made


def documents(like: Sequence[Document], subject: Subject, lots: Lots) -> list[Document]:
    """As many documents about a subject as there are others, each as long as one of them."""
    found = []
    for number, one in enumerate(like):
        mine = lots.of("document", number)
        head = title(one["title"], subject, mine.of("title")) if one["title"] else ""
        found.append({"title": head, "text": text(one["text"], sentences([subject], mine.of("text")))})
    return found


def unshown(like: Sequence[Document], request: "Request", made: Sequence[Item], lots: Lots) -> list[Document]:
    """As many documents drawn from the corpus: about as long as those of items, and shown by none of them."""
    if not like:
        return []
    corpora = [request.corpus_of(model) for model in request.models.values()]
    corpus: Any = next(one for one in corpora if one is not None and one.texts is not None)
    known = [part for item in made for part in item.shown["documents"]]
    shown = {(part["title"], part["text"]) for part in known}
    letters = max(len(part["text"]) for part in known)
    low = min(len(part["text"]) for part in known)
    headed = {bool(part["title"]) for part in known}
    found: list[Document] = []
    for number in _some(lots.numbers(len(corpus))):
        one = snippets.document(corpus.texts[number], letters)
        alike = low <= len(one["text"]) <= letters and bool(one["title"]) in headed
        if alike and (one["title"], one["text"]) not in shown:
            found.append(one)
        if len(found) == len(like):
            return found
    # A small corpus: items show all of its documents that are as long.
    rest = iter(lots.of("shown").numbers(len(known)))
    return [*found, *(known[next(rest)] for _ in range(len(like) - len(found)))]


def _some(numbers: Iterator[int]) -> Iterator[int]:
    return (number for number, _ in zip(numbers, range(TRIES), strict=False))


def snippet(like: Document, subject: Subject, lots: Lots) -> Document:
    """A subject's marked word in its text, with as much before and after it as in another snippet."""
    told = sentences([subject], lots)
    start = subject.text.index(subject.word)
    end = start + len(subject.word)
    before = " ".join([*_until(len(like["before"]), told), subject.text[:start]])
    after = " ".join([subject.text[end:], *_until(len(like["after"]), told)])
    return {
        "before": _last(before, like["before"]),
        "word": subject.word,
        "after": _paragraph(like["after"], iter([after])) if like["after"] else "",
    }


def _until(letters: int, told: Iterator[str]) -> Iterator[str]:
    made = 0
    while made <= letters:
        yield (one := next(told))
        made += len(one) + 1


def _last(text: str, like: str) -> str:
    """The last words of a text, as many letters as another text has, and opened like that."""
    opened = "… " if like.startswith("…") else ""
    room = len(like) - len(opened)
    cut = text[-room:].partition(" ")[2] if room > 0 else ""
    return opened + cut if opened else cut[:1].upper() + cut[1:]
