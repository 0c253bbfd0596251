"""Topic intrusion: a document, three topics prominent in it and one that is not (Chang et al. 2009)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tealeaves.errors import InputError, MissingInput
from tealeaves.human import dressing, snippets
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.obvious import Subject
from tealeaves.human.request import Request, Stream, Unmade, at_most, item, once
from tealeaves.model import TopicModel

JOINED = ", "
TEXTS = True  # its checks need texts


def streams(
    request: Request,
    *,
    n_words: int = 8,
    n_topics: int = 3,
    min_share: float = 0.05,
    max_shared: int = 2,
    letters: int = 600,
    min_letters: int = 100,
) -> dict[str, Stream]:
    """Documents in random order, as many as there are topics unless ``n`` says more.

    Parameters
    ----------
    n_words : int
        Words shown of each topic.
    n_topics : int
        How many of the document's most probable topics are shown.
    min_share : float
        Each of them has at least this share of the document: others are not prominent in it.
    max_shared : int
        The intruding topic shares at most so many of its words with any of them. It is in the lower half of
        the document's topics, and less probable than those shown.
    letters : int
        How much of the document's text is shown, beside its title.
    min_letters : int
        Documents with less text than this are passed over.
    """
    if n_topics < 1 or n_words < 1:
        raise InputError(f"n_topics and n_words must be at least 1; got {n_topics} and {n_words}")
    corpus = request.texts("documents")
    models = request.static()
    for name, model in models.items():
        if model.doc_topic is None:
            raise MissingInput(
                f"topic intrusion needs the topics of documents (doc_topic) of model {name!r}; "
                "tealeaves.infer(model, corpus) gives them"
            )
        if len(model.doc_topic) != len(corpus):
            raise InputError(
                f"doc_topic of model {name!r} has {len(model.doc_topic)} rows, but the corpus has "
                f"{len(corpus)} documents: hand over the corpus of those rows"
            )
        if model.n_topics <= n_topics:
            raise InputError(f"model {name!r} has {model.n_topics} topics; {n_topics} and one more are shown")

    def stream(name: str, model: TopicModel) -> Stream:
        tops = [JOINED.join(words) for words in model.top_words(n_words)]
        sets = [set(words) for words in model.top_words(n_words)]
        shares = _shares(model)
        lots = request.lots(name)
        texts: Any = corpus.texts
        for d in lots.of("documents").numbers(len(corpus)):
            text = snippets.document(texts[d], letters)
            if len(text["text"]) < max(min_letters, 1):
                yield Unmade(None, f"documents of fewer than {max(min_letters, 1)} letters")
                continue
            found = _topics(shares[d], sets, n_topics, min_share, max_shared)
            if isinstance(found, str):
                yield Unmade(None, found)
                continue
            shown, apart = found
            fresh = request.least_used([f"{name} {k}" for k in apart])
            intruder = lots.of(d, "intruder").one([k for k in apart if f"{name} {k}" in fresh])
            if len({tops[k] for k in [*shown, intruder]}) <= n_topics:
                yield Unmade(None, "documents with two topics of the same words")
                continue
            request.use([f"{name} {intruder}"])
            order = lots.of(d, "options").order([*shown, intruder])
            yield item(
                request.task,
                name,
                shown[0],
                options=tuple(tops[k] for k in order),
                key=tops[intruder],
                shown=text,
                hidden={
                    "document": corpus.ids[d] if corpus.ids is not None else str(d),
                    "document_number": d,
                    "topics": order,
                    "theta": [float(shares[d, k]) for k in order],
                    "intruder_topic": intruder,
                    **once(name, [], [f"{name} {intruder}"], document=d),
                },
            )

    return {name: at_most(stream(name, m), request.n or m.n_topics) for name, m in models.items()}


def _shares(model: TopicModel) -> Any:
    """Topics of documents, rows that sum to 1; rows of 0 stay so."""
    rows = np.asarray(model.doc_topic, np.float64)
    sums = rows.sum(axis=1, keepdims=True)
    return np.divide(rows, sums, out=np.zeros_like(rows), where=sums > 0)


def _topics(
    share: Any, sets: Sequence[set[str]], n_topics: int, min_share: float, max_shared: int
) -> tuple[list[int], list[int]] | str:
    """The topics shown and those that may intrude, or why a document has none."""
    order = np.argsort(-share, kind="stable")
    shown = order[:n_topics].tolist()
    if share[shown[-1]] < min_share or not share[shown[-1]] > 0:
        return f"documents of which fewer than {n_topics} topics have a share of {min_share:g}"
    half = len(share) // 2
    least = [k for k in order[max(half, n_topics) :].tolist() if share[k] < share[shown[-1]] and sets[k]]
    least = [k for k in least if share[k] <= share[order[half]]]
    apart = [k for k in least if all(len(sets[k] & sets[j]) <= max_shared for j in shown)]
    if not apart:
        return f"documents where every improbable topic shares over {max_shared} words with one shown"
    return shown, apart


def patterns(items: Sequence[Item]) -> Sequence[Item]:
    """Those with the longer documents, in which several subjects have room."""
    return sorted(items, key=lambda one: -len(one.shown["text"]))[: (len(items) + 1) // 2]


def obvious(
    task: str,
    subject: Subject,
    rest: Sequence[Subject],
    lots: Lots,
    *,
    like: Item,
    n_words: int = 8,
    n_topics: int = 3,
    **_: Any,
) -> Item:
    """A text about several obvious subjects, and one more that is not in it."""
    shown, intruder = [subject, *rest[: n_topics - 1]], rest[n_topics - 1]
    words = {
        one.name: JOINED.join(dressing.words(one, n_words, lots.of(one.name))) for one in [*shown, intruder]
    }
    head = dressing.title(like.shown["title"], subject, lots.of("title")) if like.shown["title"] else ""
    about = JOINED.join(one.name for one in shown)
    return item(
        task,
        "",
        None,
        options=tuple(words[name] for name in lots.of("options").order(words)),
        key=words[intruder.name],
        shown={"title": head, "text": _about(shown, like.shown["text"], lots.of("sentences"))},
        hidden={
            "subject": subject.name,
            "feedback": f"The text is about {about}. Nothing in it is about {intruder.name}.",
        },
    )


def _about(subjects: Sequence[Subject], like: str, lots: Lots) -> str:
    """A text that names every subject, as long as another and with its paragraphs, if there is room."""
    least = "." * 60 * len(subjects)
    for pattern in (like, like.replace("\n\n", " "), least):
        made = dressing.text(pattern, dressing.sentences(subjects, lots))
        if all(any(word in made for word in one.words) for one in subjects):
            break
    return made
