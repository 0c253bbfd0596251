"""Topic-pair matching: are two topics about the same? (Korenčić et al. 2021)"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tealeaves.human import dressing, snippets
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.obvious import Subject
from tealeaves.human.request import Request, Stream, item

if TYPE_CHECKING:
    from tealeaves.matcher_pairs import ShownTopic, TopicPair, TopicPairs
    from tealeaves.reference_topics import ReferenceTopics

PAIRS = 300  # as many as the source had judged


def streams(
    request: Request,
    *,
    reference_topics: "ReferenceTopics | None" = None,
    n_words: int = 15,
    n_documents: int = 15,
    letters: int | None = None,
) -> dict[str, Stream]:
    """Pairs of topics, in the order of ``pairs``: those handed over, or else drawn as `Matcher.sample` does.

    Parameters
    ----------
    reference_topics : ReferenceTopics, optional
        Where pairs are drawn: one side may be a topic of these.
    n_words, n_documents : int
        The most that is shown of a topic; pairs keep 15 of each.
    letters : int or None
        How much of the text of a document is shown; by default all of it.
    """
    pairs = request.pairs
    if pairs is None:
        from tealeaves.matcher_drawing import draw

        pairs = draw(request.static(), request.n or PAIRS, request.seed, reference_topics)
    return {"pairs": _stream(request, pairs, n_words, n_documents, letters)}


def _stream(
    request: Request, pairs: "TopicPairs", n_words: int, n_documents: int, letters: int | None
) -> Stream:
    corpus = request.corpus
    place: dict[str, int] = {}
    if corpus is not None and corpus.texts is not None:
        ids = corpus.ids or ()
        if not any(name.isdecimal() for name in ids):  # models without ids count their documents from 0
            place = {str(d): d for d in range(len(corpus))}
        place |= {name: d for d, name in enumerate(ids)}

    def side(topic: "ShownTopic") -> tuple[dict[str, Any], dict[str, Any]]:
        texts: Any = () if corpus is None else corpus.texts
        known = [d for d in topic.documents[:n_documents] if d in place]
        documents = [snippets.document(texts[place[d]], letters) for d in known]
        shown = {"words": list(topic.words[:n_words]), "documents": documents}
        return shown, {
            "model": topic.model,
            "topic": topic.topic,
            "label": topic.label,
            "documents": known,
            "documents_without_text": len(topic.documents[:n_documents]) - len(known),
        }

    for number, pair in enumerate(pairs):
        turned = request.lots("pair", number).one([0, 1])  # else a reference topic would always be second
        first, second = (pair.second, pair.first) if turned else (pair.first, pair.second)
        (shown_a, hidden_a), (shown_b, hidden_b) = side(first), side(second)
        names = list(dict.fromkeys([pair.first.model, pair.second.model]))
        yield item(
            request.task,
            " × ".join(names),
            None,
            shown={"first": shown_a, "second": shown_b},
            hidden={
                "pair": number,
                "first": hidden_a,
                "second": hidden_b,
                "cosine_distance": pair.cosine_distance,
                "features": list(pair.features),
                "once": [_pair_name(pair)],
            },
        )


def _pair_name(pair: "TopicPair") -> str:
    sides = sorted(f"{topic.model} {topic.topic}" for topic in (pair.first, pair.second))
    return f"pair {sides[0]} / {sides[1]}"


def notes(items: Sequence[Item]) -> list[str]:
    """Pairs of which documents cannot be shown."""
    sides = [item.hidden[side] for item in items for side in ("first", "second") if side in item.hidden]
    without = sum(not side["documents"] for side in sides)
    lost = sum(side["documents_without_text"] for side in sides)
    found = []
    if without:
        found.append(
            f"{without} of {len(sides)} topics are shown by their words alone: no texts of their documents"
        )
    elif lost:
        found.append(f"{lost} documents of pairs are not in the corpus, and not shown")
    return found


def obvious(
    task: str, subject: Subject, rest: Sequence[Subject], lots: Lots, *, like: Item, **_: Any
) -> Item:
    """Twice one obvious subject, or two, by lot."""
    same = lots.of("same").one([0, 1])
    other = subject if same else rest[0]
    sides = [(subject, "first"), (other, "second")]
    shown = {
        name: {
            "words": dressing.words(one, len(like.shown[name]["words"]), lots.of(name)),
            "documents": dressing.documents(like.shown[name]["documents"], one, lots.of(name)),
        }
        for one, name in sides
    }
    both = f"Both are about {subject.name}: 1."
    apart = f"The first is about {subject.name}, the second about {other.name}: 0."
    return item(
        task,
        "",
        None,
        shown=shown,
        hidden={
            "subject": subject.name,
            "expected": {"label": [1] if same else [0]},
            "feedback": both if same else apart,
        },
    )
