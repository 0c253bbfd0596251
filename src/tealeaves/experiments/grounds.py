"""What models are fitted to and scored on: each corpus by each preprocessing, read once and kept on disk."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves import __version__
from tealeaves.errors import FormatError, TealeavesError
from tealeaves.experiments.spec import CUTS, PLANTED, CorpusSpec, PreprocessSpec, Spec
from tealeaves.folders import file_digest
from tealeaves.sweep.cells import cut
from tealeaves.sweep.store import digest

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.preprocess import Preprocess
    from tealeaves.reference_topics import ReferenceTopics

ABOUT = "ground.json"
SAVED = ("corpus.json", "index.json", "model.json", "dynamic.json")  # they vouch for the files beside them


@dataclass(frozen=True)
class Ground:
    """One corpus as one preprocessing leaves it, with all that models are held against.

    Attributes
    ----------
    content
        Digest of what models are fitted to: words in their order, tokens, slices.
    judged
        Digest of all that scores depend on beside the model: also labels, held-out documents, reference, …
    """

    corpus: str
    preprocessing: str
    folder: Path
    content: str
    judged: str
    fingerprint: str
    bag_fingerprint: str
    documents: int
    tokens: int
    words: int
    held_out: int
    choices: str
    by: str | None = None
    index: Path | None = None
    matcher: Path | None = None
    vectors: Path | None = None

    @property
    def name(self) -> str:
        """The corpus and, if it has a name, the preprocessing."""
        return f"{self.corpus} ({self.preprocessing})" if self.preprocessing else self.corpus

    def load(self) -> dict[str, Any]:
        """What `tealeaves.evaluate` takes beside models and measures."""
        from tealeaves.corpus import load_corpus

        found: dict[str, Any] = {"corpus": load_corpus(self.folder / "train", verify=False), "by": self.by}
        if (self.folder / "test").is_dir():
            found["held_out"] = load_corpus(self.folder / "test", verify=False)
        if self.index is not None:
            from tealeaves.index import load_index

            found["reference"] = load_index(self.index, verify=False)
        elif (self.folder / "reference").is_dir():
            found["reference"] = load_corpus(self.folder / "reference", verify=False)
        if (self.folder / "topics").is_dir():
            from tealeaves.reference_topics import read_reference_topics

            found["reference_topics"] = read_reference_topics(self.folder / "topics")
        if self.matcher is not None:
            from tealeaves.matcher import Matcher

            found["matcher"] = Matcher.load(self.matcher)
        if self.vectors is not None:
            from tealeaves.readers.vectors import read_vectors

            found["vectors"] = read_vectors(self.vectors)
        return found


def prepare(spec: Spec, corpus: CorpusSpec, choices: PreprocessSpec, store: Path) -> tuple[Ground, bool]:
    """Read a corpus, divide it, and keep its parts in a folder of ``store``; what is there is not read again.

    A corpus of counts may have its words in another file, so it is read each time.

    Returns
    -------
    ground, torn
        ``torn`` says that what had been kept was not whole and was made again.

    Raises
    ------
    FormatError
        If the corpus cannot be read so; the spec, the corpus and the preprocessing are named.
    """
    key = digest(_given(corpus), _said(choices.choices), spec.seed, __version__)
    folder = store / key
    torn = False
    if (folder / ABOUT).exists():
        kept = _kept(folder, corpus, choices)
        if kept is not None and kept[1]:
            return kept[0], False
        torn = kept is None
    try:
        parts = _parts(spec, corpus, choices)
    except TealeavesError as error:
        where = f"corpus {corpus.name!r}" + (f", preprocessing {choices.name!r}" if choices.name else "")
        raise FormatError(spec.path, f"{where}: {error}") from None
    return _keep(folder, corpus, choices, parts), torn


@dataclass(frozen=True)
class _Parts:
    train: "Corpus"
    test: "Corpus | None"
    reference: Any
    topics: "ReferenceTopics | None"


def _parts(spec: Spec, corpus: CorpusSpec, choices: PreprocessSpec) -> _Parts:
    from tealeaves import reference_topics
    from tealeaves.sweep import split

    whole, truth = _whole(corpus, choices.choices)
    test = None if corpus.held_out is None else _read(corpus, corpus.held_out, choices.choices)
    train, drawn = split(whole, corpus.holdout, spec.seed)
    if drawn is not None:
        test, train = drawn, cut(train, min_df=1)  # a word that no model can learn is unknown, not impossible
    if not len(train):
        raise FormatError(str(corpus.path), "holds no documents")
    reference: Any = None
    if corpus.reference is not None:
        reference = _reference(corpus, choices.choices)
    topics: ReferenceTopics | None = None
    if corpus.reference_topics == PLANTED:
        topics = reference_topics.ReferenceTopics.from_model(truth)
    elif corpus.reference_topics is not None:
        topics = reference_topics.read_reference_topics(corpus.reference_topics)
    judged = train if reference is None else reference
    for by, field in (("label", "labels"), ("slice", "slice_of")):
        if corpus.by == by and getattr(judged, field, None) is None:
            raise FormatError(str(corpus.path), f"has no {by} for each document, but by = {by!r} wants them")
    return _Parts(train, test, reference, topics)


def _whole(corpus: CorpusSpec, choices: Mapping[str, Any]) -> "tuple[Corpus, Any]":
    """The corpus, and the model that made it where it is planted."""
    if corpus.synthetic is None:
        found, truth = _read(corpus, corpus.path or Path(), choices), None
    else:
        from tealeaves import synthetic

        if any(name not in CUTS for name in choices):
            wrong = next(name for name in choices if name not in CUTS)
            raise FormatError("synthetic", f"has no text, so that {wrong} means nothing to it")
        arguments = dict(corpus.synthetic)
        found, truth = getattr(synthetic, arguments.pop("kind"))(**arguments)
    cuts = {name: choices[name] for name in CUTS if name in choices}
    return cut(found, **cuts), truth


def _read(corpus: CorpusSpec, path: Path, choices: Mapping[str, Any]) -> "Corpus":
    """A file as the preprocessing has it, but for cuts by document frequency."""
    from tealeaves.corpus import read_corpus

    reading = dict(corpus.reading)
    if path != corpus.path and not (path / "corpus.json").is_file():
        reading.pop("partition", None)
    if (path / "corpus.json").is_file():
        reading = {}
    preprocess = _preprocess(choices, bool(reading.get("tokenized")))
    if preprocess is not None:
        reading.pop("tokenized", None)  # the preprocessing cuts at the blanks
    return read_corpus(path, **reading, preprocess=preprocess)


def _preprocess(choices: Mapping[str, Any], tokenized: bool) -> "Preprocess | None":
    from tealeaves.preprocess import Preprocess

    asked = {name: value for name, value in choices.items() if name not in CUTS}
    if not asked:
        return None
    if tokenized and "pattern" not in asked:
        return Preprocess(**{"tokenizer": str.split, "lower": False, **asked})
    return Preprocess(**asked)


def _reference(corpus: CorpusSpec, choices: Mapping[str, Any]) -> Any:
    path = corpus.reference
    if path is not None and (path / "index.json").is_file():
        from tealeaves.index import load_index

        return load_index(path)
    return None if path is None else _read(corpus, path, choices)


def _keep(folder: Path, corpus: CorpusSpec, choices: PreprocessSpec, parts: _Parts) -> Ground:
    folder.mkdir(parents=True, exist_ok=True)
    content = _content(parts.train)
    corpora = [parts.train, parts.test]
    corpora += [] if _is_index(parts.reference) else [parts.reference]
    judged = digest(
        [_content(one) + _labels(one) if one is not None else "" for one in corpora],
        parts.reference.fingerprint if _is_index(parts.reference) else "",
        parts.topics.fingerprint if parts.topics is not None else "",
        [file_digest_of(path) for path in (corpus.matcher, corpus.vectors) if path is not None],
        corpus.by,
    )
    kept = _kept(folder, corpus, choices) if (folder / ABOUT).exists() else None
    if kept is not None and (kept[0].content, kept[0].judged) == (content, judged):
        return kept[0]
    (folder / ABOUT).unlink(missing_ok=True)
    for name, one in zip(("train", "test", "reference"), corpora, strict=False):
        if one is not None:
            one.save(folder / name)
    if parts.topics is not None:
        parts.topics.save(folder / "topics")
    train = parts.train
    ground = Ground(
        **_named(folder, corpus, choices),
        content=content,
        judged=judged,
        fingerprint=train.fingerprint,
        bag_fingerprint=train.bag_fingerprint,
        documents=len(train),
        tokens=train.n_tokens,
        words=int((train.word_counts() > 0).sum()),
        held_out=0 if parts.test is None else len(parts.test),
        choices=train.preprocess,
    )
    _write(folder, ground, train.ordered)
    return ground


def _named(folder: Path, corpus: CorpusSpec, choices: PreprocessSpec) -> dict[str, Any]:
    """What a ground has from the spec alone."""
    index = corpus.reference
    return {
        "corpus": corpus.name,
        "preprocessing": choices.name,
        "folder": folder,
        "by": corpus.by,
        "index": index if index is not None and (index / "index.json").is_file() else None,
        "matcher": corpus.matcher,
        "vectors": corpus.vectors,
    }


FOUND = (
    "content",
    "judged",
    "fingerprint",
    "bag_fingerprint",
    "documents",
    "tokens",
    "words",
    "held_out",
    "choices",
)


def _write(folder: Path, ground: Ground, ordered: bool) -> None:
    found = {name: value for name, value in asdict(ground).items() if name in FOUND}
    about = {"found": found, "ordered": ordered, "checksum": digest(found, ordered)}
    part = folder / f"{ABOUT}.part"
    part.write_text(json.dumps(about), "ascii")
    part.replace(folder / ABOUT)


def _kept(folder: Path, corpus: CorpusSpec, choices: PreprocessSpec) -> tuple[Ground, bool] | None:
    """What was kept, if it is whole, and whether it need not be read again."""
    try:
        about = json.loads((folder / ABOUT).read_text("ascii"))
        if about["checksum"] != digest(about["found"], about["ordered"]):
            return None
        ground = Ground(**_named(folder, corpus, choices), **about["found"])
        _verify(ground)
    except (OSError, ValueError, KeyError, TypeError, TealeavesError):
        return None
    return ground, bool(about["ordered"])


def _verify(ground: Ground) -> None:
    """Read every file of ours once, against its checksum."""
    from tealeaves.corpus import load_corpus

    for name in ("train", "test", "reference"):
        if name == "train" or (ground.folder / name).is_dir():
            load_corpus(ground.folder / name)
    replace(ground, index=None, vectors=None).load()


def _is_index(reference: Any) -> bool:
    return reference is not None and not hasattr(reference, "select")


def _content(corpus: "Corpus") -> str:
    """Of all that a trainer sees."""
    slices = None if corpus.slice_of is None else corpus.slice_of.tolist()
    words = digest(list(corpus.vocabulary))
    return digest(corpus.fingerprint, words, slices, corpus.slice_labels)


def _labels(corpus: "Corpus") -> str:
    return digest(None if corpus.labels is None else list(corpus.labels))


def _given(corpus: CorpusSpec) -> list[Any]:
    """What a corpus is made from."""
    files = [
        None if path is None or isinstance(path, str) else file_digest_of(path)
        for path in (
            *(corpus.path, corpus.held_out, corpus.reference, corpus.reference_topics),
            *(corpus.matcher, corpus.vectors),
        )
    ]
    planted = None if corpus.synthetic is None else dict(corpus.synthetic)
    looked_for = corpus.reference_topics == PLANTED
    return [files, planted, _said(corpus.reading), corpus.holdout, looked_for, corpus.by]


def _said(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON has them: a file is what is in it."""
    return {
        name: file_digest_of(value) if isinstance(value, Path) else value for name, value in choices.items()
    }


def file_digest_of(path: Path) -> str:
    """Of the content of a file, or of all files of a folder; of one that we saved, that of its manifest."""
    if path.is_file():
        return file_digest(path)
    for name in SAVED:
        if (path / name).is_file():
            return file_digest(path / name)
    files = sorted(one for one in path.rglob("*") if one.is_file())
    return digest([[one.relative_to(path).as_posix(), file_digest(one)] for one in files])
