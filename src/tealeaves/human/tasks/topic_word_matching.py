"""Topic-word matching: a word of a text is marked; which topic fits it there? (Lund et al. 2019)"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.human import dressing, snippets
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.obvious import Subject
from tealeaves.human.request import Request, Stream, Unmade, at_most, item, once

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.measures.local import TokenTopics

JOINED = ", "
TEXTS = True  # its checks need texts
PROBABLE, RANDOM = 3, 1  # options beside the assigned topic: of the document's topics, and of the rest
TOKENS = 100  # of a model, unless n says otherwise


def streams(
    request: Request, *, n_words: int = 10, letters: int = 160, assign: str = "model"
) -> dict[str, Stream]:
    """Tokens in random order, a hundred of each model unless ``n`` says otherwise.

    Shown are the topic of the token, the three most probable others of its document, and one of the rest.

    Parameters
    ----------
    n_words : int
        Words shown of each topic.
    letters : int
        How much of the text is shown before and after the marked word.
    assign : {"model", "map", "gibbs"}
        Where topics of tokens are from: the model's own, or inferred with its topics fixed.
    """
    from tealeaves.needs_local import corpus_of_tokens, token_topics

    found = {}
    for name, model in request.static().items():
        if model.n_topics < 1 + PROBABLE + RANDOM:
            raise InputError(f"model {name!r} has {model.n_topics} topics; {1 + PROBABLE + RANDOM} are shown")
        tokens = token_topics(model, request.corpus, assign, request.seed)
        corpus: Any = corpus_of_tokens(model, request.corpus, assign)
        tops = [JOINED.join(words) for words in model.top_words(n_words)]
        stream = _stream(request, name, tops, tokens, corpus, letters)
        found[name] = at_most(stream, request.n or TOKENS)
    return found


def _stream(
    request: Request, name: str, tops: Sequence[str], tokens: "TokenTopics", corpus: "Corpus", letters: int
) -> Stream:
    usable = np.flatnonzero((tokens.topics >= 0) & (tokens.words >= 0))
    lots = request.lots(name)
    for place in lots.of("tokens").numbers(len(usable)):
        i = int(usable[place])
        d = int(np.searchsorted(tokens.offsets, i, side="right")) - 1
        topic = int(tokens.topics[i])
        theta = _shares(tokens, d)
        mine = lots.of(i)
        others = [k for k in mine.order(range(len(tops))) if k != topic]
        probable = sorted(others, key=lambda k: -theta[k])[:PROBABLE]  # equal ones stay in random order
        rest = [k for k in others if k not in probable]
        shown = [topic, *probable, mine.of("random").one(rest)]
        if len({tops[k] for k in shown}) < len(shown) or not all(tops[k] for k in shown):
            yield Unmade(None, "tokens for which topics of the same words, or of none, would be shown")
            continue
        snippet = _snippet(corpus, d, i - int(tokens.offsets[d]), letters)
        if isinstance(snippet, str):
            yield Unmade(None, snippet)
            continue
        order = mine.of("options").order(shown)
        yield item(
            request.task,
            name,
            topic,
            options=tuple(tops[k] for k in order),
            key=tops[topic],
            shown=snippet,
            hidden={
                "document": corpus.ids[d] if corpus.ids is not None else str(d),
                "document_number": d,
                "token": i - int(tokens.offsets[d]),
                "topics": order,
                "theta": [float(theta[k]) for k in order],
                "random_topic": shown[-1],
                **once(name, [], document=d),
            },
        )


def _shares(tokens: "TokenTopics", d: int) -> Any:
    """Proportions of topics in a document: the model's own, or those of its tokens."""
    if tokens.doc_topic is not None:
        row = np.asarray(tokens.doc_topic[d], np.float64)
    else:
        inside = tokens.topics[tokens.offsets[d] : tokens.offsets[d + 1]]
        row = np.bincount(inside[inside >= 0], minlength=tokens.n_topics).astype(np.float64)
    return row / (row.sum() or 1.0)


def _snippet(corpus: "Corpus", d: int, token: int, letters: int) -> dict[str, str] | str:
    """The surroundings of a token in its text, or among the words of its document where there is no text."""
    if corpus.texts is None:
        ids = corpus.document(d).tolist()
        words = [corpus.vocabulary[i] if i >= 0 else "…" for i in ids]
        before = " ".join(words[:token])
        text = " ".join(words)
        start = len(before) + (1 if before else 0)
        return snippets.around(text, start, start + len(words[token]), letters)
    from tealeaves.tokens import spans

    try:
        span = next((s for s in spans(corpus, d) if s.token == token), None)
    except InputError:
        span = None
    if span is None:
        return "tokens that are not found in the text of their document"
    return snippets.around(corpus.texts[d], span.start, span.end, letters)


def patterns(items: Sequence[Item]) -> Sequence[Item]:
    """Those with the longer snippets, in which the marked word has its own sentence around it."""
    return sorted(items, key=lambda one: -min(len(one.shown["before"]), len(one.shown["after"])))[
        : (len(items) + 1) // 2
    ]


def obvious(
    task: str,
    subject: Subject,
    rest: Sequence[Subject],
    lots: Lots,
    *,
    like: Item,
    n_words: int = 10,
    **_: Any,
) -> Item:
    """A text with a marked word of an obvious subject, among four others."""
    shown = [subject, *rest[: PROBABLE + RANDOM]]
    words = {one.name: JOINED.join(dressing.words(one, n_words, lots.of(one.name))) for one in shown}
    return item(
        task,
        "",
        None,
        options=tuple(words[name] for name in lots.of("options").order(words)),
        key=words[subject.name],
        shown=dressing.snippet(like.shown, subject, lots.of("snippet")),
        hidden={
            "subject": subject.name,
            "feedback": f"“{subject.word}” is about {subject.name} here, and so is this list.",
        },
    )
