"""What an experiment is to do, read from a TOML file and checked key by key before anything is done."""

import glob
import inspect
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError, TealeavesError, meant

LARGEST_SEED = 2**32 - 1
PLANTED = "planted"  # the true topics of a planted corpus, as reference topics
KINDS = ("lda", "skewed", "correlated", "duplicated", "sentences", "drifting")  # of planted corpora
READING = ("text", "id", "time", "label", "tokenized", "format", "vocabulary", "partition", "trust")
READING_MODEL = ("format", "trust", "vocabulary", "axes", "outliers", "slice_labels")
TOP = (
    *("title", "base", "corpora", "preprocessing", "models", "k", "seeds", "measures", "seed", "ci"),
    *("resamples", "holdout", "by"),
)
CORPUS = (
    *("name", "path", "synthetic", *READING, "held_out", "holdout", "reference", "reference_topics"),
    *("matcher", "vectors", "by"),
)
PREPROCESS = (
    *("pattern", "lower", "stop_words", "min_df", "max_df", "min_length", "max_length", "lemmatize", "stem"),
    "ngrams",
)
CUTS = ("min_df", "max_df")


@dataclass(frozen=True)
class CorpusSpec:
    """Where a corpus comes from, and what its models are held against."""

    name: str
    path: Path | None
    synthetic: Mapping[str, Any] | None
    reading: Mapping[str, Any]
    held_out: Path | None
    holdout: float
    reference: Path | None
    reference_topics: Path | str | None
    matcher: Path | None
    vectors: Path | None
    by: str | None


@dataclass(frozen=True)
class PreprocessSpec:
    """How texts become tokens; ``choices`` are those of `tealeaves.Preprocess`."""

    name: str
    choices: Mapping[str, Any]
    corpora: tuple[str, ...]


@dataclass(frozen=True)
class ModelSpec:
    """A family with all its options, each a list of values; or files that hold models (``read``)."""

    name: str
    family: str
    options: Mapping[str, Any]
    k: tuple[int, ...]
    seeds: tuple[int, ...]
    corpora: tuple[str, ...]
    read: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Spec:
    """A whole experiment."""

    path: Path
    base: Path
    text: str
    title: str
    corpora: tuple[CorpusSpec, ...]
    preprocessing: tuple[PreprocessSpec, ...]
    models: tuple[ModelSpec, ...]
    measures: tuple[str, ...]
    seed: int
    ci: float | None
    resamples: int


def read_spec(path: str | Path, base: str | Path | None = None) -> Spec:
    """Read and check the file of an experiment.

    Parameters
    ----------
    path : path
        A TOML file.
    base : path, optional
        The folder that paths in the file are relative to, instead of the one that it names or lies in.

    Raises
    ------
    FormatError
        If a key does not exist, a value is not what was wanted, or a file is missing; it names file and key.
    """
    path = Path(path)
    if path.is_dir():
        path = path / "spec.toml"
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
        content = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise FormatError(path, f"is no UTF-8: {error.reason} at byte {error.start}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FormatError(path, f"is no TOML: {error}") from None
    top = _Table(path, "", content, TOP)
    own = path.parent / top.take("base", str, "")
    where = (own if base is None else Path(base)).absolute()  # workers of a cluster start elsewhere
    return _whole(path, text.replace("\r\n", "\n"), where, top)


def _whole(path: Path, text: str, base: Path, top: "_Table") -> Spec:
    holdout = top.share("holdout", 0.0)
    by = top.one_of("by", ("slice", "label"))
    corpora = tuple(_corpus(table, base, holdout, by) for table in top.tables("corpora", CORPUS, needed=True))
    names = _distinct(top, "corpora", [corpus.name for corpus in corpora])
    kinds = top.tables("preprocessing", ("name", "corpora", *PREPROCESS))
    preprocessing = tuple(_preprocessing(table, base, names) for table in kinds)
    _distinct(top, "preprocessing", [one.name for one in preprocessing])
    k, seeds = top.numbers("k", 1, ()), _seeds(top, (0,))
    models = tuple(_models(table, base, names, k, seeds) for table in top.tables("models", None, needed=True))
    _one_family(top, models)
    ci = top.take("ci", (int, float), 0.95)
    if not 0 <= ci < 1:
        raise top.error("ci", f"wanted a level such as 0.95, or 0 for no intervals; found {ci!r}")
    return Spec(
        path=path,
        base=base,
        text=text,
        title=top.take("title", str, path.stem),
        corpora=corpora,
        preprocessing=preprocessing or (PreprocessSpec("", {}, tuple(names)),),
        models=models,
        measures=_measures(top),
        seed=top.whole("seed", 0, 0),
        ci=float(ci) or None,
        resamples=top.whole("resamples", 2000, 10),
    )


def _one_family(top: "_Table", models: Sequence[ModelSpec]) -> None:
    """Refuse one name for two families: their models would be taken for runs of one."""
    of: dict[str, str] = {}
    for model in models:
        if not model.read and of.setdefault(model.name, model.family) != model.family:
            found = f"{of[model.name]} and {model.family} are both called {model.name!r}"
            raise top.error("models", f"{found}: give each family a name of its own")


class _Table:
    """A table of the file: its keys are taken one by one, each checked, and an unknown one is refused."""

    def __init__(self, path: Path, where: str, content: Any, known: Sequence[str] | None) -> None:
        self.path, self.where = path, where
        if not isinstance(content, Mapping):
            raise FormatError(path, f"{where or 'file'}: wanted a table of keys; found {content!r}")
        self.content = dict(content)
        if known is not None:
            self.only(known)

    def only(self, known: Sequence[str]) -> None:
        """Refuse keys that do not exist."""
        for key in self.content:
            if key not in known:
                raise self.error(key, f"there is no such key; {meant(key, known)}")

    def error(self, key: str, message: str) -> FormatError:
        """An error about a key."""
        return FormatError(self.path, f"{self.where}{key}: {message}")

    def take(self, key: str, kind: Any, otherwise: Any = None) -> Any:
        """The value of a key, which must be of a kind."""
        value = self.content.get(key, otherwise)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wrong = isinstance(value, bool) and bool not in kinds
        if key in self.content and (wrong or not isinstance(value, kinds)):
            words = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}
            words |= {list: "a list", dict: "a table"}
            wanted = "a number" if kinds == (int, float) else " or ".join(words[one] for one in kinds)
            raise self.error(key, f"wanted {wanted}; found {value!r}")
        return value

    def whole(self, key: str, otherwise: int, least: int) -> int:
        """A whole number of at least ``least``."""
        value: int = self.take(key, int, otherwise)
        if value < least:
            raise self.error(key, f"wanted a whole number of at least {least}; found {value!r}")
        return value

    def share(self, key: str, otherwise: float) -> float:
        """A number from 0 up to but not including 1."""
        value = self.take(key, (int, float), otherwise)
        if not 0 <= value < 1:
            raise self.error(
                key, f"wanted a share of the documents from 0 to 1, such as 0.2; found {value!r}"
            )
        return float(value)

    def one_of(self, key: str, known: Sequence[str]) -> str | None:
        """One of some words."""
        value: str | None = self.take(key, str)
        if value is not None and value not in known:
            raise self.error(key, f"wanted {' or '.join(map(repr, known))}; found {value!r}")
        return value

    def numbers(self, key: str, least: int, otherwise: tuple[int, ...]) -> tuple[int, ...]:
        """A whole number or a list of them."""
        value = self.take(key, (int, list), list(otherwise))
        given = value if isinstance(value, list) else [value]
        for one in given:
            if isinstance(one, bool) or not isinstance(one, int) or one < least:
                raise self.error(key, f"wanted whole numbers of at least {least}; found {one!r}")
        if key in self.content and not given:
            raise self.error(key, "wanted at least one number; found an empty list")
        return tuple(dict.fromkeys(given))

    def texts(self, key: str, otherwise: Sequence[str] = ()) -> tuple[str, ...]:
        """A text or a list of them."""
        value = self.take(key, (str, list), list(otherwise))
        given = [value] if isinstance(value, str) else value
        for one in given:
            if not isinstance(one, str) or not one.strip():
                raise self.error(key, f"wanted a text or a list of them; found {one!r}")
        return tuple(given)

    def file(self, key: str, base: Path) -> Path | None:
        """A path that must exist."""
        given = self.take(key, str)
        if given is None:
            return None
        found: Path = base / given
        if not given.strip() or not found.exists():
            raise self.error(key, f"there is no file or folder {str(found)!r}")
        return found

    def tables(self, key: str, known: Sequence[str] | None, needed: bool = False) -> list["_Table"]:
        """The tables of a list, ``[[key]]``."""
        given = self.take(key, list, [])
        if needed and not given:
            raise self.error(key, f"an experiment needs at least one [[{key}]]")
        return [
            _Table(self.path, f"[[{key}]] {place}, ", content, known)
            for place, content in enumerate(given, start=1)
        ]

    def of_corpora(self, names: Sequence[str]) -> tuple[str, ...]:
        """The corpora that this is for: all, or those named by ``corpora``."""
        chosen = self.texts("corpora", names)
        for name in chosen:
            if name not in names:
                raise self.error("corpora", f"there is no corpus {name!r}; {meant(name, names)}")
        return chosen


def _distinct(top: _Table, key: str, names: list[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise top.error(key, f"two are called {name!r}: give each a name of its own")
    return names


def _seeds(table: _Table, otherwise: tuple[int, ...]) -> tuple[int, ...]:
    """A number of runs, or a list of seeds."""
    value = table.take("seeds", (int, list), list(otherwise))
    if isinstance(value, int):
        if not 1 <= value <= LARGEST_SEED:
            raise table.error("seeds", f"wanted a number of runs of at least 1, or seeds; found {value!r}")
        return tuple(range(value))
    found = table.numbers("seeds", 0, otherwise)
    if any(seed > LARGEST_SEED for seed in found):
        raise table.error("seeds", f"wanted seeds of at most {LARGEST_SEED}; found {max(found)}")
    return found


def _measures(top: _Table) -> tuple[str, ...]:
    from tealeaves.measures._table import parse_all

    asked = top.texts("measures", ("standard",))
    try:
        return tuple(dict.fromkeys(str(spec) for spec in parse_all(list(asked))))
    except TealeavesError as error:
        raise top.error("measures", str(error)) from None


def _corpus(table: _Table, base: Path, holdout: float, by: str | None) -> CorpusSpec:
    path, planted = table.file("path", base), table.take("synthetic", dict)
    if (path is None) == (planted is None):
        raise table.error("path", "a corpus is read from a path or is synthetic: give one of the two")
    if planted is not None:
        for key in (*READING, "held_out", "reference"):
            if key in table.content:
                raise table.error(key, "a synthetic corpus is not read from a file and has no such key")
        planted = _planted(_Table(table.path, f"{table.where}synthetic.", planted, None))
    reading = {key: table.take(key, bool if key in ("tokenized", "trust") else str) for key in READING}
    reading = {key: value for key, value in reading.items() if value is not None}
    if "vocabulary" in reading:
        reading["vocabulary"] = table.file("vocabulary", base)
    looked_for: Path | str | None = PLANTED
    if table.take("reference_topics", str) != PLANTED:
        looked_for = table.file("reference_topics", base)
    elif planted is None:
        raise table.error("reference_topics", "only a synthetic corpus has planted topics; name a file")
    elif planted["kind"] == "drifting":
        raise table.error("reference_topics", "the planted topics of a drifting corpus are no fixed ones")
    if table.content.get("matcher") is not None and looked_for is None:
        raise table.error("matcher", "a matcher matches with reference topics: name reference_topics, too")
    if "held_out" in table.content and "holdout" in table.content:
        raise table.error("holdout", "held_out names documents, holdout a share of the corpus: give one")
    name = table.take("name", str, path.name.partition(".")[0] if path is not None else PLANTED)
    if not name.strip():
        raise table.error("name", "is empty")
    held_out = table.file("held_out", base)
    return CorpusSpec(
        name=name,
        path=path,
        synthetic=planted,
        reading=reading,
        held_out=held_out,
        holdout=0.0 if held_out is not None else table.share("holdout", holdout),
        reference=table.file("reference", base),
        reference_topics=looked_for,
        matcher=table.file("matcher", base),
        vectors=table.file("vectors", base),
        by=table.one_of("by", ("slice", "label")) or by,
    )


def _planted(table: _Table) -> dict[str, Any]:
    """The arguments of a function of `tealeaves.synthetic`, and its name as ``kind``."""
    from tealeaves import synthetic

    kind = table.one_of("kind", KINDS) or "lda"
    arguments = inspect.signature(getattr(synthetic, kind)).parameters
    table.only(("kind", *arguments))
    lacking = [
        name for name, one in arguments.items() if one.default is one.empty and name not in table.content
    ]
    if lacking:
        raise table.error(lacking[0], f"is missing; {kind} needs {', '.join(lacking)}")
    for name in arguments:
        of_seed = name in ("k", "documents", "length", "vocabulary", "slices", "seed", "copies", "words")
        table.take(name, int if of_seed else (int, float, list))
    return {"kind": kind, **{name: table.content[name] for name in arguments if name in table.content}}


def _preprocessing(table: _Table, base: Path, names: Sequence[str]) -> PreprocessSpec:
    from tealeaves.preprocess import Preprocess

    choices = {key: table.content[key] for key in PREPROCESS if key in table.content}
    words = choices.get("stop_words")
    if isinstance(words, str) and (base / words).is_file():
        choices["stop_words"] = base / words
    if isinstance(choices.get("ngrams"), list):
        choices["ngrams"] = tuple(choices["ngrams"])
    try:
        Preprocess(**choices)
    except TealeavesError as error:
        named = next(
            (key for key in choices if key.replace("_", " ") in str(error).replace("_", " ")), "preprocessing"
        )
        raise table.error(named, str(error)) from None
    except (TypeError, ValueError, AttributeError) as error:
        raise table.error(", ".join(choices), f"a value is of the wrong kind: {error}") from None
    return PreprocessSpec(table.take("name", str, ""), choices, table.of_corpora(names))


def _models(
    table: _Table, base: Path, names: Sequence[str], k: tuple[int, ...], seeds: tuple[int, ...]
) -> ModelSpec:
    if ("family" in table.content) == ("read" in table.content):
        raise table.error("family", "models are of a family, or are read from files: give family or read")
    corpora = table.of_corpora(names)
    if "read" in table.content:
        return _files(table, base, corpora)
    from tealeaves.sweep.cells import options_of

    family = table.take("family", str)
    try:
        known = options_of(family, over_time=True)
    except TealeavesError as error:
        raise table.error("family", str(error)) from None
    table.only(("family", "name", "k", "seeds", "corpora", *known))
    own = table.numbers("k", 1, k)
    if not own:
        raise table.error("k", "is missing: the number of topics, here or for all models")
    options = {name: _values(table, name) for name in known if name in table.content}
    return ModelSpec(table.take("name", str, family), family, options, own, _seeds(table, seeds), corpora)


def _values(table: _Table, name: str) -> tuple[Any, ...]:
    value = table.content[name]
    given = value if isinstance(value, list) else [value]
    for one in given:
        if not isinstance(one, str | int | float | bool):
            raise table.error(name, f"wanted numbers, texts, true or false; found {one!r}")
    if not given:
        raise table.error(name, "wanted at least one value; found an empty list")
    return tuple(dict.fromkeys(given))


def _files(table: _Table, base: Path, corpora: tuple[str, ...]) -> ModelSpec:
    table.only(("read", "name", "corpora", *READING_MODEL))
    found: list[Path] = []
    for pattern in table.texts("read"):
        matching = [Path(one) for one in sorted(glob.glob(str(base / pattern)))]
        if not matching:
            raise table.error("read", f"there is no file or folder {str(base / pattern)!r}")
        found += [path for path in matching if path not in found]
    kinds: dict[str, Any] = {"trust": bool, "slice_labels": list}
    options = {key: table.take(key, kinds.get(key, str)) for key in READING_MODEL if key in table.content}
    if "vocabulary" in options:
        options["vocabulary"] = table.file("vocabulary", base)
    if "outliers" in options:
        table.one_of("outliers", ("drop", "keep"))
    return ModelSpec(table.take("name", str, ""), "", options, (), (), corpora, tuple(found))
