"""The topic of each token, as measures of single tokens need it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.borrowed import partners, texts_for
from tealeaves.errors import InputError, MissingInput
from tealeaves.measures._table import Levels, Spec, Values
from tealeaves.measures._tokens import ASSIGN, TokenTopics
from tealeaves.measures.local_switches import chance_consistency, shuffled_consistency
from tealeaves.preprocess import renumber
from tealeaves.runs import base_name

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel
    from tealeaves.rows import Row
    from tealeaves.run import Run

    Groups = dict[str, list[int]]

PAGES = 4  # models of whose documents some are kept to be read: as many as the report shows
# what a score of a group of documents does not have
ALONE: dict[str, Any] = {"low": None, "high": None, "total_low": float("nan"), "total_high": float("nan")}
SWITCHES = 30  # pairs of topics of which intervals are kept


def token_topics(
    model: "TopicModel", corpus: "Corpus | None" = None, assign: str = "model", seed: int = 0
) -> TokenTopics:
    """The topic of each token of a corpus: the model's own, or inferred with its topics fixed.

    Parameters
    ----------
    model : TopicModel
        With topics over words; one that is lists of words alone only has the topics it was handed.
    corpus : Corpus, optional
        Its documents; by default the model's own. A model that carries both its corpus and its topics of
        tokens is asked for those of its own corpus.
    assign : {"model", "map", "gibbs"}
        The model's ``assignments``; the most probable topic of each token under inferred proportions; or a
        draw by Gibbs sampling.
    seed : int
        Of the draw.

    Raises
    ------
    MissingInput
        If the model has no topics of tokens, or there is nothing to infer them from.

    Examples
    --------
    >>> import tealeaves as tl
    >>> corpus = tl.Corpus.from_tokens([["oil", "gas"], ["tax"]])
    >>> model = tl.TopicModel(["gas", "oil", "tax"], [[0.5, 0.5, 0], [0, 0, 1]], assignments=[0, 0, 1])
    >>> token_topics(model, corpus).topics
    array([0, 0, 1], dtype=int32)
    """
    if assign not in ASSIGN:
        raise InputError(f"assign must be one of {', '.join(map(repr, ASSIGN))}; got {assign!r}")
    used = corpus_of_tokens(model, corpus, assign)
    if used is None or not hasattr(used, "tokens"):  # an index has places, and no documents
        raise MissingInput(
            f"the topics of tokens of model {model.name!r} need the documents that they stand in: hand over "
            "corpus= (a MALLET state carries it)"
        )
    if not used.ordered:
        raise MissingInput(
            "local measures need the order of tokens, which a corpus made from a matrix, or from words and "
            "pairs of words together, does not have"
        )
    column = {word: i for i, word in enumerate(model.vocabulary)}
    known = np.fromiter((column.get(word, -1) for word in used.vocabulary), np.int32, len(used.vocabulary))
    words = renumber(used.tokens, known)
    if len(used.tokens) and not (words >= 0).any():
        raise MissingInput(
            f"no word of model {model.name!r} is in the corpus; is it the right one, with words made alike?"
        )
    topics, theta = _given(model, used) if assign == "model" else _inferred(model, used, assign, seed)
    return TokenTopics(words, topics, used.offsets, model.n_topics, assign, doc_topic=theta)


def corpus_of_tokens(model: "TopicModel", corpus: "Corpus | None", assign: str) -> "Corpus | None":
    """The documents whose tokens have topics: those of a model's own topics are its own, if it has them."""
    own = model.corpus if assign == "model" and getattr(model, "assignments", None) is not None else None
    if own is None:
        return corpus if corpus is not None else model.corpus
    return own if corpus is None else texts_for(own, corpus)


def with_sentences(tokens: TokenTopics, model: "TopicModel", corpus: "Corpus | None") -> TokenTopics:
    """The same, with the sentence of each token as the texts of its corpus tell."""
    from tealeaves.tokens import sentence_ids

    used = corpus_of_tokens(model, corpus, tokens.how)
    if used is None or used.texts is None:
        raise MissingInput(
            "where sentences end is read from the texts of the documents, which the corpus does not have; "
            "read it from texts (tl.read_corpus, Corpus.from_texts)"
        )
    return replace(tokens, sentences=sentence_ids(used))


def _given(model: "TopicModel", corpus: "Corpus") -> tuple[Any, Any]:
    if model.assignments is None:
        otherwise = (
            "infer them from its topics: assign='map', as the group local_map does for all models alike "
            "(--measures local_map)"
            if model.topic_word is not None
            else "lists of words alone do not tell them"
        )
        raise MissingInput(f"model {model.name!r} has no topics of tokens (assignments); {otherwise}")
    if len(model.assignments) != corpus.n_tokens:
        raise MissingInput(
            f"model {model.name!r} has topics of {len(model.assignments)} tokens, but the corpus has "
            f"{corpus.n_tokens}: hand over the corpus as it was trained on, or take assign='map'"
        )
    theta = model.doc_topic if model.doc_topic is not None and len(model.doc_topic) == len(corpus) else None
    return model.assignments, theta


def _inferred(model: "TopicModel", corpus: "Corpus", assign: str, seed: int) -> tuple[Any, Any]:
    if model.topic_word is None:
        raise MissingInput(
            f"model {model.name!r} is lists of words alone: they do not say how probable a word is, so a "
            "token whose word is in two lists, or in none as most are, has no topic; hand over weights "
            "(topic_word=), or topics of tokens (assignments=)"
        )
    from tealeaves.infer import infer

    try:
        found = infer(model, corpus, method=_method(model, assign), seed=seed)
    except InputError as error:  # negative weights, no prior: this model's cell alone is empty
        raise MissingInput(str(error)) from None
    return found.assignments, found.doc_topic


def _method(model: "TopicModel", assign: str) -> str:
    """How topics of tokens are inferred: variational Bayes needs a prior, folding-in does not."""
    return "gibbs" if assign == "gibbs" else "em" if model.alpha is None else "vb"


def inference_of(model: "TopicModel", assign: str, seed: int) -> str:
    """What a signature says of topics that were inferred; "" of a model's own."""
    from tealeaves.infer import BURN_IN, ITERATIONS, SAMPLES, TOLERANCE

    if assign == "model":
        return ""
    method = _method(model, assign)
    if method == "gibbs":
        return f"gibbs,burn_in={BURN_IN},samples={SAMPLES},seed={seed}"
    return f"{method},iterations={ITERATIONS},tolerance={TOLERANCE:g}"


def warnings_of_tokens(run: "Run") -> list[str]:
    """What a reader of local measures should see: whose documents were judged."""
    if not hasattr(run.corpus, "tokens") or not any(
        spec.settings.get("assign") == "model" for spec in run.specs if "token_topics" in spec.measure.needs
    ):
        return []
    found = []
    for name, model in run.models.items():
        own = getattr(model, "corpus", None)
        if own is None or run.corpus is None or getattr(model, "assignments", None) is None:
            continue
        if own.fingerprint != run.corpus.fingerprint and partners(own, run.corpus) is None:
            found.append(
                f"{name}: topics of tokens are those of the {len(own)} documents that the model carries, "
                f"which are not the {len(run.corpus)} of the corpus; assign='map' judges topics on the corpus"
            )
    return found


def of_groups(
    run: "Run", rows: "Sequence[Row]", groups: "Sequence[str]", members_of: "Callable[[Corpus], Groups]"
) -> "list[Row]":
    """Scores of tokens and of held-out documents again, of each group alone: their sums are at hand.

    ``members_of`` finds the documents of each group in a corpus: a model that carries its own documents is
    asked for the groups of those, and held-out documents for theirs.
    """
    found = []
    for row in rows:
        sums, of_documents = row.levels.sums, row.levels.documents
        if sums is None or of_documents is None:
            continue
        if "token_topics" in row.spec.measure.needs:
            corpus = corpus_of_tokens(run.models[row.model], run.corpus, row.spec.settings["assign"])
        else:
            corpus = run.held_out
        why = "no document of this group has a term"
        try:
            members: Groups = {} if corpus is None else members_of(corpus)
        except MissingInput as error:
            members, why = {}, str(error)
        for group in dict.fromkeys([*groups, *members]):
            mine = members.get(group, [])
            block = np.zeros(len(of_documents.value), np.int64)
            block[mine] = 1
            with np.errstate(divide="ignore", invalid="ignore"):
                value = float(sums.value(sums.by_block(block, 2))[1]) if mine else np.nan
            terms = of_documents.n_terms
            if terms.sum() != row.levels.model.n_terms:  # the score is a mean over documents
                terms = of_documents.reason == ""
            values = Values(np.array(value), terms[mine].sum(), np.array(why if np.isnan(value) else ""))
            found.append(replace(row, **ALONE, group=group, levels=Levels(values)))
    return found


class LocalNeeds:
    """The topic of each token, as measures of single tokens need it."""

    run: "Run"
    name: str
    spec: Spec
    model: "TopicModel"

    def _token_topics(self) -> TokenTopics:
        settings = self.spec.settings
        assign, made = settings["assign"], self.run.token_topics
        if self.name not in made:
            made.clear()  # of one model at a time: they are as long as the corpus
        of_model = made.setdefault(self.name, {})
        if assign not in of_model:
            of_model[assign] = token_topics(self.model, self.run.corpus, assign, self.run.seed)
            self._keep_pages(of_model[assign])
        tokens: TokenTopics = of_model[assign]
        if settings.get("sentences", "all") != "all" and tokens.sentences is None:
            try:
                of_model[assign] = tokens = with_sentences(tokens, self.model, self.run.corpus)
            except MissingInput as error:
                raise MissingInput(f"{self.spec}: {error}") from None
        if settings.get("theta") == "model" and tokens.doc_topic is None:
            raise MissingInput(
                f"{self.spec} needs topic proportions of the same documents (doc_topic); model {self.name!r} "
                "has none"
            )
        self._accompany(tokens)
        return tokens

    def _keep_pages(self, tokens: TokenTopics) -> None:
        """Documents to read, kept while the topics of their tokens are at hand."""
        run = self.run
        others = {base_name(name) for name in run.pages}
        if run.ci is None or base_name(self.name) in others or len(others) >= PAGES:
            return  # of several runs of one model, the first alone
        from tealeaves.reading import documents_to_read
        from tealeaves.switches import switches

        corpus = corpus_of_tokens(self.model, run.corpus, tokens.how)
        if corpus is not None:
            pages = documents_to_read(self.model, corpus, tokens)
            found = switches(tokens, ci=run.ci, resamples=run.resamples, seed=run.seed)
            ends = [[s.before, s.after, s.low, s.high] for s in found.most(SWITCHES)]
            run.pages[self.name] = (pages, found.counts.tolist(), ends)

    def _accompany(self, tokens: TokenTopics) -> None:
        """What chance gives beside consistency, and the number of topics, which alone can move it."""
        if self.spec.name not in ("consistency", "switch_p"):
            return
        how = {key: self.spec.settings[key] for key in ("gaps", "sentences")}
        chance, shuffled = chance_consistency(tokens), shuffled_consistency(tokens, **how)
        if self.spec.name == "switch_p":
            chance, shuffled = 1 - chance, 1 - shuffled
        self.run.companions[self.name, str(self.spec)] = {
            "topics": tokens.n_topics,
            "chance": None if np.isnan(chance) else chance,
            "shuffled": None if np.isnan(shuffled) else shuffled,
        }
