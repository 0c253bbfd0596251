"""The table of measures, and the grammar of the specs that name them."""

import ast
import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import SpecError, meant

Function = TypeVar("Function", bound=Callable[..., Any])
Condition = tuple[Callable[[Any], bool], str]  # what a parameter must be, and that in words
NEEDS = (
    "pair_counts",
    "top_words",
    "topic_word",
    "doc_topic",
    "documents",  # a tf-idf vector of each
    "background",
    "coherence",
    "diversity",
    "word_vectors",
    "token_topics",  # the topic of each token, in order
    "held_out",  # documents that were not trained on, in the model's own words
    "prior",  # alpha, or None
    "pseudo_counts",  # Dirichlet parameters of the topics, and their prior
    "word_prior",  # eta, of each word
    "lengths",  # tokens of each document
    "reference_distances",  # cosine distance of each reference topic to each topic
    "reference_matches",  # whether a matcher takes them for the same
    "reference_matches_nocos",
    "runs",  # the topics of several runs of a model, over the same words
    "runs_documents",  # the documents of their topics
    "runs_matches",  # which reference topics they match
    "labels",  # the class of each document of the corpus
    "slice_words",  # the top words of each topic in each slice of time
    "slice_counts",  # of pairs across slices
    "slice_coherence",
    "slice_diversity",
)
BEST = {"high": "higher is better", "low": "lower is better", None: "neither end is best"}
LARGEST = 2**31 - 1  # of a whole number: beyond, the kernels' integers end, and no document is as long
MODULES = (
    "coherence",
    "diversity",
    "significance",
    "document_coherence",
    "local",
    "tuning",
    "labels",
    "predictive_check",
    "temporal",
    "held_out",
    "coverage",
    "stability",
)

# Names of the literature: what they stand for, shown expanded wherever a score is shown.
ALIASES: dict[str, tuple[str, dict[str, Any]]] = {
    "c_uci": ("uci", {}),
    "c_npmi": ("npmi", {"window": 10, "smoothing": 1e-12}),
    "c_umass": ("umass", {}),
    "td": ("topic_diversity", {}),
    "irbo": ("inverted_rbo", {}),
    "aj": ("average_jaccard", {}),
    "recall": ("sup_cov", {}),
    "btc": ("b_tc", {}),
    "bts": ("b_ts", {}),
}
GROUPS: dict[str, tuple[str, ...]] = {
    "standard": (
        "npmi@10",
        "c_v@10",
        "umass@10",
        "topic_diversity@10",
        "diversity@10",
        "tq@10",
        "sig_uni",
        "sig_vac",
        "sig_back",
    ),
    "coherence": ("npmi@10", "c_npmi@10", "c_v@10", "uci@10", "umass@10", "u_mass@10", "c_p@10", "c_a@10"),
    "diversity": (
        "diversity@10",
        "topic_diversity@10",
        "topic_overlap@10",
        "inverted_rbo@10",
        "average_jaccard@10",
        "exclusivity@10",
        "topic_distance",
    ),
    "ldatuning": ("griffiths2004", "cao2009", "arun2010(variant='ldatuning')", "deveaud2014"),
    "coverage": ("au_cdc", "sup_cov", "sup_cov_nocos", "precision"),
    "stability": ("instance_stabil", "aucdc_stabil", "document_stabil", "refset_stabil"),
    "significance": ("sig_uni", "sig_vac", "sig_back"),
    "local": (
        "consistency",
        "switch_p",
        "switch_vi",
        "avg_rank",
        "window",
        "word_div",
        "sig_vac",
        "sig_uni",
    ),
    "local_map": (  # all models' tokens judged alike, also of those that have no topics of tokens
        "consistency(assign='map')",
        "switch_p(assign='map')",
        "switch_vi(assign='map')",
        "avg_rank(assign='map')",
        "window(assign='map')",
        "word_div(assign='map')",
        "sig_vac",
        "sig_uni",
    ),
    "held_out": ("perplexity", "log_likelihood", "bits_per_word"),
    "labels": ("label_f1", "purity", "nmi", "ari"),
    "temporal": (
        "npmi@10",
        "diversity@10",
        "tq@10",
        "ttc@10",
        "tts@10",
        "ttq@10",
        "dtq@10",
        "b_tc@10",
        "b_ts@10",
    ),
}


class Values(NamedTuple):
    """A score for each topic (or one for the model), the terms behind it, and why it is undefined.

    ``reason`` is "" where ``value`` is defined; where it is not, ``value`` is nan.
    """

    value: NDArray[np.float64]
    n_terms: NDArray[np.int64]
    reason: NDArray[np.str_]


class Sums(NamedTuple):
    """What a score is made of, document by document, so that documents can be drawn again.

    ``by_block(block_of, n_blocks)`` adds documents up, (D,) to (B, m); ``value`` makes the model's score of
    such sums, (…, m) to (…), and ``topics`` those of topics, (…, m) to (…, K). ``n_documents`` is D where the
    score has no level of documents to tell it. ``reflect`` is for scores that fewer different documents move
    to one side, as entropies: draws are then turned over at the value.
    """

    by_block: Callable[[NDArray[np.int64], int], NDArray[np.float64]]
    value: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    topics: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    n_documents: int = 0
    reflect: bool = False


class Levels(NamedTuple):
    """A score of the model and of its parts: for measures that are more than a mean over topics.

    ``topics`` are (K,), ``documents`` (D,), ``slices`` (T,); ``windows`` are (K, W): topic k from slice t to
    slice t + span - 1. ``references`` are (R,), of reference topics.
    """

    model: Values
    topics: Values | None = None
    documents: Values | None = None
    slices: Values | None = None
    windows: Values | None = None
    sums: Sums | None = None
    span: int = 1
    references: Values | None = None


def document_sums(
    parts: NDArray[np.float64],
    value: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    topics: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
) -> Sums:
    """Sums of a few numbers of each document, ``parts`` of shape (D, m)."""

    def by_block(block_of: NDArray[np.int64], n_blocks: int) -> NDArray[np.float64]:
        total = np.zeros((n_blocks, parts.shape[1]))
        np.add.at(total, block_of, parts)
        return total

    return Sums(by_block, value, topics)


def _number(text: str, otherwise: float) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise


@dataclass(frozen=True)
class Measure:
    """One row of the table: a function of arrays and what the rest of the house must know of it."""

    name: str
    function: Callable[..., Any]
    needs: tuple[str, ...]
    axes: tuple[str, ...]
    best: str | None
    source: str
    range: str = ""
    window: Any = False  # False: counts no words; None: documents; an int: windows of that many tokens
    constraints: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    conditions: tuple[tuple[str, Condition], ...] = ()
    words: tuple[tuple[str, tuple[str, ...]], ...] = ()  # what a number may be instead

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Every parameter a spec may name, with its default."""
        own = {
            name: p.default
            for name, p in inspect.signature(self.function).parameters.items()
            if p.kind is p.KEYWORD_ONLY and p.default is not p.empty
        }
        return own if self.window is False else {"window": self.window, **own}

    @property
    def choices(self) -> dict[str, tuple[Any, ...]]:
        """The parameters that take one of a few values."""
        return dict(self.constraints)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the most it can be, where ``range`` says so in numbers."""
        low, _, high = self.range.strip("[]()").partition(", ")
        return _number(low, -math.inf), _number(high, math.inf)

    @property
    def takes_top(self) -> bool:
        """Whether ``@n`` means something to it."""
        return not {"top_words", "slice_words", "slice_coherence"}.isdisjoint(self.needs)

    @property
    def doc(self) -> str:
        """Its whole documentation."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The first line of its documentation."""
        return self.doc.partition("\n")[0]

    @property
    def direction(self) -> str:
        """Which end is best, in words."""
        return BEST[self.best]


@dataclass(frozen=True)
class Spec:
    """A measure with the parameters that differ from its defaults, and its number of top words.

    ``str(spec)`` is the canonical spelling: defaults left out, aliases expanded; ``parse`` reads it back.
    """

    name: str
    params: tuple[tuple[str, Any], ...] = ()
    top: int | None = None
    written: str = field(default="", compare=False)

    def __str__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in self.params)
        return self.name + (f"({inside})" if inside else "") + ("" if self.top is None else f"@{self.top}")

    @property
    def measure(self) -> Measure:
        """The row of the table it names."""
        return table()[self.name]

    @property
    def settings(self) -> dict[str, Any]:
        """Every parameter, defaults included."""
        return {**self.measure.defaults, **dict(self.params)}

    @property
    def arguments(self) -> dict[str, Any]:
        """The parameters its function takes: all but the window that says what is counted beforehand."""
        counted = self.measure.window is not False
        return {key: value for key, value in self.settings.items() if key != "window" or not counted}

    @property
    def formula(self) -> str:
        """The measure's whole documentation, which begins with its formula."""
        return self.measure.doc

    @property
    def best(self) -> str | None:
        """Which end is best: "high", "low" or neither (None)."""
        return self.measure.best

    @property
    def range(self) -> str:
        """The values it can take."""
        return self.measure.range

    @property
    def source(self) -> str:
        """Where it comes from."""
        return self.measure.source


_TABLE: dict[str, Measure] = {}


def measure(
    name: str,
    *,
    needs: tuple[str, ...],
    axes: tuple[str, ...],
    best: str | None,
    source: str,
    range: str = "",
    window: Any = False,
    choices: Mapping[str, tuple[Any, ...]] | None = None,
    conditions: Mapping[str, Condition] | None = None,
    words: Mapping[str, tuple[str, ...]] | None = None,
) -> Callable[[Function], Function]:
    """Enter a function in the table of measures; the function itself stays as it is."""
    for need in needs:
        if need not in NEEDS:
            raise SpecError(f"{name}: no such need {need!r}; the needs are {', '.join(NEEDS)}")

    def enter(function: Function) -> Function:
        constraints = tuple(sorted((choices or {}).items()))
        also = tuple((conditions or {}).items())
        instead = tuple((words or {}).items())
        _TABLE[name] = Measure(
            name, function, needs, axes, best, source, range, window, constraints, also, instead
        )
        return function

    return enter


@cache
def _load() -> None:
    for module in MODULES:
        import_module(f"tealeaves.measures.{module}")


def table() -> dict[str, Measure]:
    """Every measure by its name."""
    _load()
    return _TABLE


def measures() -> tuple[Measure, ...]:
    """Every measure there is, in the order of the table."""
    return tuple(table().values())


SPEC = re.compile(r"\s*(?P<call>[A-Za-z_]\w*\s*(\(.*\))?)\s*(@\s*(?P<top>[^@()]*))?\s*", re.DOTALL)


def parse(text: "str | Spec") -> Spec:
    """Read one spec such as ``npmi(window=10)@10``.

    Raises
    ------
    SpecError
        If it is no such expression, or names a measure or a parameter that does not exist; the error
        names the nearest that does.
    """
    if isinstance(text, Spec):
        return text
    if not isinstance(text, str):
        raise SpecError(f"a measure is named by a text such as 'npmi@10'; got {text!r}")
    found = SPEC.fullmatch(text)
    if not found:
        raise SpecError(
            f"{text!r} is no measure: write a name, its parameters and its top words, as npmi(window=10)@10"
        )
    call = _expression(found["call"], text)
    name, given = _arguments(call, text)
    base, implied = ALIASES.get(name, (name, {}))
    if base not in table() and base in GROUPS:
        raise SpecError(f"{name!r} is a group of measures, not one: {', '.join(GROUPS[base])}")
    if base not in table():
        raise SpecError(
            _unknown(
                f"there is no measure {name!r}", name, [*table(), *ALIASES, *GROUPS], "tealeaves measures"
            )
        )
    entry = table()[base]
    return Spec(base, _canonical(entry, {**implied, **given}), _top(entry, found["top"], text), text.strip())


def _expression(call: str, text: str) -> ast.expr:
    try:
        return ast.parse(call.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SpecError(f"{text!r} cannot be read: write it like npmi(window=10, oov='drop')@10") from None


def _arguments(call: ast.expr, text: str) -> tuple[str, dict[str, Any]]:
    if isinstance(call, ast.Name):
        return call.id, {}
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise SpecError(f"{text!r} cannot be read: write it like npmi(window=10, oov='drop')@10")
    if call.args:
        raise SpecError(f"{text!r}: every parameter needs its name, as in npmi(window=10)@10")
    given: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in given:
            raise SpecError(f"{text!r}: a parameter has no name, or is named twice")
        try:
            given[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError):
            wanted = f"{keyword.arg} must be a number, a quoted text, True, False or None"
            bare = isinstance(keyword.value, ast.Name)  # a shell takes quotes away that nothing protects
            quoted = f"{keyword.arg}='{ast.unparse(keyword.value)}'"
            hint = f': write {quoted}, and in a shell "…" around the whole' if bare else ""
            raise SpecError(f"{text!r}: {wanted}{hint}") from None
    return call.func.id, given


def _canonical(entry: Measure, given: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    defaults, kept = entry.defaults, {}
    for key, value in given.items():
        if key not in defaults:
            raise SpecError(_unknown(f"{entry.name} has no parameter {key!r}", key, [*defaults]))
        _check(entry, key, value, defaults[key])
        value = _inner(entry, value) if key == "coherence" else value
        if value != defaults[key] or (value is None) != (defaults[key] is None):
            kept[key] = float(value) if isinstance(defaults[key], float) else value
    return tuple(sorted(kept.items()))


def _inner(entry: Measure, value: Any) -> str:
    """The measure inside another as its canonical text without top words: those are of the outer one."""
    if not isinstance(value, str) or "@" in value:
        raise SpecError(
            f"{entry.name}: coherence must be a measure without @n, such as 'npmi'; got {value!r}"
        )
    inner = parse(value)
    if "pair_counts" not in inner.measure.needs:
        raise SpecError(f"{entry.name}: coherence must be a coherence measure such as 'npmi'; got {value!r}")
    return str(replace(inner, top=None))


def _check(entry: Measure, key: str, value: Any, default: Any) -> None:
    wanted = None
    instead = dict(entry.words).get(key, ())
    if isinstance(value, str) and value in instead:
        return
    if key in entry.choices:
        if value not in entry.choices[key] or isinstance(value, bool) != isinstance(default, bool):
            wanted = "one of " + ", ".join(map(repr, entry.choices[key]))
    elif key == "window":
        if value is not None and (type(value) is not int or not 1 <= value <= LARGEST):
            wanted = "a whole number of tokens of at least 1, or None for whole documents"
    elif isinstance(default, bool):
        wanted = None if isinstance(value, bool) else "True or False"
    elif isinstance(default, int):
        good = type(value) is int and 1 <= value <= LARGEST
        wanted = None if good else "a whole number of at least 1"
    elif isinstance(default, float):
        good = (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and np.isfinite(value)
            and value >= 0
        )
        wanted = None if good else "a number of at least 0"
    conditions = dict(entry.conditions)
    if not wanted and key in conditions and not conditions[key][0](value):
        wanted = conditions[key][1]
    if wanted:
        wanted += "".join(f", or {word!r}" for word in instead)
        raise SpecError(f"{entry.name}: {key} must be {wanted}; got {value!r}")


def _top(entry: Measure, given: str | None, text: str) -> int | None:
    if not entry.takes_top:
        if given is not None:
            used = "all words" if "documents" not in entry.needs else "documents, not top words,"
            raise SpecError(f"{text!r}: {entry.name} uses {used} of a topic, so it takes no @{given.strip()}")
        return None
    if given is None:
        return 10
    if not re.fullmatch(r"\s*[0-9]+\s*", given) or not 1 <= int(given) <= 10_000:
        raise SpecError(
            f"{text!r}: what follows @ is the number of top words, 1 to 10000; got {given.strip()!r}"
        )
    return int(given)


def _unknown(what: str, name: str, known: list[str], where: str = "") -> str:
    hint = meant(name, known)
    return f"{what}; `{where}` lists them" if where and hint.startswith("there are") else f"{what}; {hint}"


def parse_all(specs: "str | Spec | Sequence[str | Spec]") -> tuple[Spec, ...]:
    """Specs, groups and comma-separated lists of them, each once, in the order asked for."""
    asked = list(specs) if isinstance(specs, Iterable) and not isinstance(specs, str) else [specs]
    found: dict[Spec, None] = {}
    for item in asked:
        for part in [item] if isinstance(item, Spec) else _split(item):
            for one in _members(part) if isinstance(part, str) else (part,):
                found.setdefault(parse(one))
    if not found:
        raise SpecError(f"no measure was asked for; name some, or a group: {', '.join(GROUPS)}")
    return tuple(found)


def _members(text: str) -> Sequence[str | Spec]:
    """The measures of a group, with n top words if it is written ``group@n``; else the text itself."""
    group, at, top = text.partition("@")
    if group.strip() not in GROUPS or (at and group.strip() in table()):
        return (text,)
    if not at:
        return GROUPS[group]
    specs = [parse(one) for one in GROUPS[group.strip()]]
    return [parse(f"{replace(spec, top=None)}@{top}") if spec.top else spec for spec in specs]


def _split(text: str) -> list[str]:
    """Cut at the commas that stand outside parentheses and quotes."""
    if not isinstance(text, str):
        raise SpecError(f"a measure is named by a text such as 'npmi@10'; got {text!r}")
    parts = re.findall(r"(?:[^,('\"]|'[^']*'|\"[^\"]*\"|\((?:[^)'\"]|'[^']*'|\"[^\"]*\")*\)|[('\"])+", text)
    return [part.strip() for part in parts if part.strip()]
