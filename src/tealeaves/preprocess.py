"""From texts to tokens, by choices that are all written down."""

import hashlib
import os
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from tealeaves import letters
from tealeaves._optional import require
from tealeaves.errors import FormatError, InputError

Gaps = Literal["kept", "closed"]
Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
Cut = deque[tuple[int, Ids, Ints]]  # a piece: whose numbering, word ids, lengths of the documents
CHUNK = 1 << 20  # tokens renumbered at a time
PIECE = 4_000_000  # characters handed to a thread at a time
CODES = {  # simplemma knows languages by code only
    "bulgarian": "bg", "catalan": "ca", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en",
    "estonian": "et", "finnish": "fi", "french": "fr", "german": "de", "greek": "el", "hungarian": "hu",
    "indonesian": "id", "irish": "ga", "italian": "it", "latin": "la", "norwegian": "nb", "polish": "pl",
    "portuguese": "pt", "romanian": "ro", "russian": "ru", "spanish": "es", "swedish": "sv",
    "turkish": "tr", "ukrainian": "uk",
}  # fmt: skip


@dataclass(frozen=True)
class Encoded:
    """Texts as ids over ``words``, in which an id of -1 is a token that ``min_df`` or ``max_df`` left out."""

    tokens: Ids
    offsets: Ints
    words: list[str]
    ordered: bool
    gaps: Gaps
    description: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Preprocess:
    """How texts become tokens. By default: words of letters in lower case, and nothing is removed.

    The steps, in order: the text loses soft hyphens, is composed (Unicode's NFC) and put in lower case; it is
    cut into tokens; tokens of the wrong length and stop words go, and those around them close up; what is
    left is lemmatised, then stemmed, then joined to n-grams; words in too few or too many documents leave
    the vocabulary but keep their place.

    Parameters
    ----------
    pattern : str
        A regular expression for a token. The default is a letter of any script with the letters and
        marks that follow it, so "don't" is two tokens and digits are none.
    tokenizer : callable
        Called with the text, returns tokens; instead of ``pattern``.
    lower : bool
        Lower case, before the text is cut.
    stop_words : str, path or iterable of str
        The name of a language (the Snowball project's lists: function words only), a file with a word a line,
        or words. An entry that is itself cut, such as "don't", goes where its parts follow each other.
    min_df, max_df : int or float
        Keep words in at least and at most so many documents (int), or such a share of all (float).
    min_length, max_length : int
        Keep words of at least and at most so many characters.
    lemmatize : str
        A language of simplemma, by name or code ("english", "en").
    stem : str
        A language of the Snowball stemmers.
    ngrams : int or pair of int
        Join n neighbours by "_"; (1, 2) makes words and pairs, and the corpus has no order any more.

    Raises
    ------
    InputError
        If a choice does not exist or two contradict each other.

    Examples
    --------
    >>> choices = Preprocess(stop_words="english", min_length=3)
    >>> choices.words("Don't the cafés of Paris say: Oil!")
    ['don', 't', 'the', 'cafés', 'of', 'paris', 'say', 'oil']
    >>> made = choices.encode(["Don't the cafés of Paris say: Oil!"])
    >>> [made.words[i] for i in made.tokens]
    ['cafés', 'paris', 'say', 'oil']
    """

    pattern: str | None = None
    tokenizer: Callable[[str], Iterable[str]] | None = None
    lower: bool = True
    stop_words: str | os.PathLike[str] | Iterable[str] | None = None
    min_df: int | float = 1
    max_df: int | float = 1.0
    min_length: int = 1
    max_length: int | None = None
    lemmatize: str | None = None
    stem: str | None = None
    ngrams: int | tuple[int, int] = 1
    _stop_list: tuple[str, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        if self.pattern is not None and self.tokenizer is not None:
            raise InputError("pattern and tokenizer are two ways to cut a text: give one of them")
        if self.pattern is not None:
            _compile(self.pattern)
        if self.tokenizer is not None and not callable(self.tokenizer):
            raise InputError(f"tokenizer must be a function of a text, but is {self.tokenizer!r}")
        for name in ("min_df", "max_df"):
            _check_df(name, getattr(self, name))
        if type(self.min_df) is type(self.max_df) and self.min_df > self.max_df:
            raise InputError(f"min_df={self.min_df} is more than max_df={self.max_df}: no word would be left")
        if self.min_length < 0 or (self.max_length is not None and self.max_length < max(self.min_length, 1)):
            raise InputError(f"no word has {self.min_length} to {self.max_length} characters")
        low, high = self._ngrams
        if not 1 <= low <= high:
            raise InputError(f"ngrams must be n or (smallest, largest), at least 1, but are {self.ngrams!r}")
        if self.stem is not None:
            _stemmer(self.stem)
        if self.stop_words is not None:
            if not isinstance(self.stop_words, str | os.PathLike) and isinstance(
                self.stop_words, Iterable
            ):  # an iterator is read once, here
                object.__setattr__(self, "stop_words", tuple(self.stop_words))
            object.__setattr__(self, "_stop_list", _stop_list(self.stop_words))

    def words(self, text: str) -> list[str]:
        """The tokens of one text, before any is removed or changed: the plain reference."""
        if self.tokenizer is not None:
            made = self.tokenizer(letters.normalise(text, lower=self.lower))
            if isinstance(made, str | bytes) or not isinstance(made, Iterable):
                fix = "return a list of words, as tokenizer=str.split does"
                raise InputError(f"the tokenizer returned {made!r:.60}, not words: {fix}")
            found = [*made]
            wrong = next((token for token in found if not isinstance(token, str)), None)
            if wrong is not None:
                raise InputError(f"the tokenizer must return strings, but returned {wrong!r}")
            return [token for token in found if token]
        if self.pattern is not None:
            text = letters.normalise(text, lower=self.lower)
            return [token for token in _compile(self.pattern).findall(text) if token]
        return letters.words(text, lower=self.lower)

    def describe(self) -> str:
        """Every choice in words, those left at their default included; one choice after the other."""
        low, high = self._ngrams
        return "; ".join(
            [
                f"tokens: {self._cut_by()}",
                "text: NFC, without soft hyphens, " + ("lower case" if self.lower else "case kept"),
                f"length: {_span(self.min_length, self.max_length)}",
                f"stop words: {self._named_stop_words()}",
                f"lemmatised: {self.lemmatize or 'no'}",
                f"stemmed: {self.stem or 'no'}",
                f"n-grams: {low}" + (f" to {high}" if high > low else ""),
                f"documents with a word: at least {_df(self.min_df)}, at most {_df(self.max_df)}",
            ]
        )

    def encode(self, texts: Iterable[str]) -> Encoded:
        """All texts as ids over a vocabulary: one pass, and a stream of texts is not held."""
        return self.encode_jobs(partial(letters.Texts.of, piece) for piece in _pieces(texts))

    def encode_jobs(self, jobs: Iterable[Callable[[], letters.Texts]]) -> Encoded:
        """The same of texts that are made some at a time, in any thread."""
        if self.pattern is None and self.tokenizer is None:
            cut, numbers, words = _cut_letters(jobs, self.lower)
        else:
            cut, numbers, words = _cut_plainly(jobs, self.words)
        new, kept = self.refine(words)
        phrases = self.phrases(words)
        parts: list[Ids] = []
        sizes: list[Ints] = [np.zeros(1, np.int64)]
        while cut:  # every piece is let go once it is renumbered
            which, ids, lengths = cut.popleft()
            tokens, left = self.kept(numbers[which][ids], lengths, new, phrases)
            parts.append(tokens)
            sizes.append(left)
        offsets = np.cumsum(np.concatenate(sizes))
        out = np.empty(int(offsets[-1]), np.int32)
        end = len(out)
        while parts:
            part = parts.pop()
            out[end - len(part) : end] = part
            end -= len(part)
        low, high = self._ngrams
        if high > 1:
            out, offsets, kept = _join(out, offsets, kept, low, high)
        out, kept, notes = self._limit(out, offsets, kept)
        return Encoded(
            out,
            offsets,
            kept,
            ordered=low == high,
            gaps=self.gaps,
            description=self.describe(),
            notes=notes,
        )

    @property
    def joins(self) -> bool:
        """Whether it joins neighbours to n-grams."""
        return self._ngrams[1] > 1

    @property
    def gaps(self) -> Gaps:
        """Whether tokens that go leave a gap."""
        return "closed" if self._stop_list or self.min_length > 1 or self.max_length else "kept"

    def kept(self, tokens: Ids, lengths: Ints, new: Ids, phrases: list[Any]) -> tuple[Ids, Ints]:
        """The tokens of some documents that stay, renumbered by ``new``, and how many each has then."""
        keep = new[tokens] >= 0
        for phrase in phrases:
            _strike_out(keep, tokens, lengths, phrase)
        if keep.all():
            return new[tokens], lengths
        return new[tokens[keep]], np.diff(np.concatenate([[0], np.cumsum(keep)])[_bounds(lengths)])

    @property
    def _ngrams(self) -> tuple[int, int]:
        if isinstance(self.ngrams, int):
            return self.ngrams, self.ngrams
        if len(self.ngrams) != 2:
            raise InputError(f"ngrams must be n or (smallest, largest), but are {self.ngrams!r}")
        return self.ngrams

    def _cut_by(self) -> str:
        if self.tokenizer is not None:
            name = getattr(self.tokenizer, "__qualname__", type(self.tokenizer).__qualname__)
            return f"by the function {getattr(self.tokenizer, '__module__', '')}.{name}"
        return "letters with their marks" if self.pattern is None else f"pattern {self.pattern!r}"

    def _named_stop_words(self) -> str:
        if not self._stop_list:
            return "none removed"
        given = self.stop_words
        name = os.fspath(given) if isinstance(given, str | os.PathLike) else "given"
        digest = hashlib.sha256("\n".join(sorted(self._stop_list)).encode("utf-8", "surrogatepass"))
        return f"{name} ({len(self._stop_list)} words, {digest.hexdigest()[:8]}), removed and closed up"

    @cached_property
    def _stop_tokens(self) -> list[tuple[str, ...]]:
        """The stop words as texts are cut: most are one token, "don't" may be two."""
        return [tuple(self.words(word)) or (word,) for word in self._stop_list]

    def phrases(self, words: Sequence[str]) -> list[list[NDArray[np.int64]]]:
        """Stop words of several tokens, those of one length together: a column of ids for each place."""
        longer = [phrase for phrase in self._stop_tokens if len(phrase) > 1]
        if not longer:
            return []
        index = {word: i for i, word in enumerate(words)}
        known: defaultdict[int, list[list[int]]] = defaultdict(list)
        for phrase in longer:
            if all(word in index for word in phrase):
                known[len(phrase)].append([index[word] for word in phrase])
        return [list(np.array(rows, np.int64).T) for _, rows in sorted(known.items(), reverse=True)]

    def refine(self, words: Sequence[str]) -> tuple[Ids, list[str]]:
        """The new id of each word, -1 if it goes, and the words as they are then, in alphabetical order."""
        stop = {phrase[0] for phrase in self._stop_tokens if len(phrase) == 1}
        if not (stop or self.min_length > 1 or self.max_length or self.lemmatize or self.stem):
            order = sorted(range(len(words)), key=words.__getitem__)
            new = np.empty(len(words), np.int32)
            new[order] = np.arange(len(words))
            return new, [words[i] for i in order]
        longest = self.max_length if self.max_length is not None else max(map(len, words), default=0)
        change = _changes(self.lemmatize, self.stem)
        changed = [
            change(word) if self.min_length <= len(word) <= longest and word not in stop else None
            for word in words
        ]
        kept = sorted({word for word in changed if word is not None})
        index = {word: i for i, word in enumerate(kept)}
        places = (-1 if word is None else index[word] for word in changed)
        return np.fromiter(places, np.int32, len(words)), kept

    def _limit(self, tokens: Ids, offsets: Ints, words: list[str]) -> tuple[Ids, list[str], tuple[str, ...]]:
        """Take words in too few or too many documents out of the vocabulary; their tokens become -1."""
        low, high = self._between(len(offsets) - 1)
        if low <= 1 and high >= len(offsets) - 1:
            return tokens, words, ()
        from tealeaves._kernels.documents import document_frequency

        keep = self.stays(document_frequency(tokens, offsets, len(words)), len(offsets) - 1)
        new = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
        kept = [word for word, stays in zip(words, keep, strict=True) if stays]
        notes = ("min_df and max_df leave no word in the vocabulary",) if words and not kept else ()
        return renumber(tokens, new), kept, notes

    def _between(self, n_documents: int) -> tuple[float, float]:
        low = self.min_df * n_documents if isinstance(self.min_df, float) else self.min_df
        high = self.max_df * n_documents if isinstance(self.max_df, float) else self.max_df
        return low, high

    @property
    def limits(self) -> bool:
        """Whether words may leave the vocabulary by the number of documents that hold them."""
        return self.min_df not in (0, 1) or self.max_df != 1.0 or isinstance(self.max_df, int)

    def stays(self, held: Ints, n_documents: int) -> NDArray[np.bool_]:
        """Which words are in enough documents and in not too many."""
        low, high = self._between(n_documents)
        return np.asarray((held >= low - 1e-9) & (held <= high + 1e-9))  # 0.07 * 100 is a little more than 7


def stop_word_languages() -> tuple[str, ...]:
    """The languages whose stop words can be named.

    >>> "english" in stop_word_languages()
    True
    """
    folder = resources.files("tealeaves") / "stop_words"
    return tuple(sorted(file.name[:-4] for file in folder.iterdir() if file.name.endswith(".txt")))


def renumber(tokens: Ids, new: Ids) -> Ids:
    """``new[tokens]``, where -1 stays -1, without a second array of indices as long as the corpus."""
    table = np.append(new, np.int32(-1))
    out = np.empty(len(tokens), np.int32)
    for start in range(0, len(tokens), CHUNK):
        out[start : start + CHUNK] = table[tokens[start : start + CHUNK]]
    return out


def _cut_letters(
    jobs: Iterable[Callable[[], letters.Texts]], lower: bool
) -> tuple[Cut, list[Ids], list[str]]:
    """Texts cut by the kernel, in threads that have a table of words each; then one numbering."""
    from concurrent.futures import Future, ThreadPoolExecutor
    from queue import SimpleQueue

    workers = os.cpu_count() or 1
    free: SimpleQueue[int] = SimpleQueue()
    tokenizers: list[letters.Tokenizer] = []

    def encode(job: Callable[[], letters.Texts]) -> tuple[int, Ids, Ints]:
        which = free.get()  # there are as many as threads: it never waits
        try:
            return which, *tokenizers[which].encode(job())
        finally:
            free.put(which)

    done: list[tuple[int, Ids, Ints]] = []
    running: deque[Future[tuple[int, Ids, Ints]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for job in jobs:
                if len(tokenizers) < workers:
                    tokenizers.append(letters.Tokenizer(lower=lower))
                    free.put(len(tokenizers) - 1)
                running.append(pool.submit(encode, job))
                if len(running) > workers:  # no more texts at a time than needed to keep the threads busy
                    done.append(running.popleft().result())
            done += [task.result() for task in running]
        finally:
            for task in running:
                task.cancel()
    index: defaultdict[str, int] = defaultdict()
    index.default_factory = index.__len__
    numbers = [np.fromiter(map(index.__getitem__, one.words()), np.int32) for one in tokenizers]
    return deque(done), numbers, list(index)


def _cut_plainly(
    jobs: Iterable[Callable[[], letters.Texts]], cut_text: Callable[[str], list[str]]
) -> tuple[Cut, list[Ids], list[str]]:
    """Texts cut one by one."""
    index: defaultdict[str, int] = defaultdict()
    index.default_factory = index.__len__
    cut: Cut = deque()
    for job in jobs:
        docs = [cut_text(text) for text in job()]
        lengths = np.fromiter(map(len, docs), np.int64, len(docs))
        ids = map(index.__getitem__, chain.from_iterable(docs))
        cut.append((0, np.fromiter(ids, np.int32, int(lengths.sum())), lengths))
    return cut, [np.arange(len(index), dtype=np.int32)], list(index)


def _pieces(texts: Iterable[str]) -> Iterator[list[str]]:
    """The texts in lists of about PIECE characters: a stream is never held as a whole."""
    piece: list[str] = []
    size = 0
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(_no_text(text, i))
        piece.append(text)
        size += len(text) + 64  # empty texts add up, too
        if size >= PIECE:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _no_text(found: object, i: int) -> str:
    shown = f"{type(found).__name__} {found!r}"[:60]
    hint = "; are these tokens? then use Corpus.from_tokens" if isinstance(found, list | tuple) else ""
    return f"text {i} (counted from 0) must be a string, but is {shown}{hint}"


def _strike_out(keep: NDArray[np.bool_], tokens: Ids, lengths: Ints, phrase: list[NDArray[np.int64]]) -> None:
    """Mark as gone the tokens where one of the phrases stands, within a document."""
    n = len(phrase)
    wanted = set(zip(*(column.tolist() for column in phrase), strict=True))
    at = np.arange(len(tokens) - n + 1)
    for place, column in enumerate(phrase):
        member = np.zeros(int(max(tokens.max(initial=0), column.max())) + 1, bool)
        member[column] = True
        at = at[member[tokens[at + place]]]
    document = np.repeat(np.arange(len(lengths)), lengths)
    for i in at[document[at] == document[at + n - 1]].tolist():
        if tuple(tokens[i : i + n].tolist()) in wanted:
            keep[i : i + n] = False


def _join(tokens: Ids, offsets: Ints, words: list[str], low: int, high: int) -> tuple[Ids, Ints, list[str]]:
    """The n-grams of low to high neighbours at each token, and their words."""
    ends = np.repeat(offsets[1:], np.diff(offsets))  # where the document of each token ends
    places, ids = [], []
    index = {word: i for i, word in enumerate(words)}
    names = list(words)
    now = tokens.astype(np.int64)  # the n-gram that begins at each token
    for n in range(1, high + 1):
        if n > 1:
            begin = np.flatnonzero(np.arange(len(tokens)) + n <= ends)
            pairs = now[begin] * len(words) + tokens[begin + n - 1]
            distinct, which = np.unique(pairs, return_inverse=True)
            made = [f"{names[pair // len(words)]}_{words[pair % len(words)]}" for pair in distinct.tolist()]
            new = np.array([index.setdefault(name, len(index)) for name in made], np.int64)
            names = list(index)
            now = np.full(len(tokens), -1, np.int64)
            now[begin] = new[which]
        if n >= low:
            begin = np.flatnonzero(np.arange(len(tokens)) + n <= ends)
            places.append(begin)
            ids.append(now[begin])
    place, joined = np.concatenate(places), np.concatenate(ids)
    order = np.argsort(place, kind="stable")
    counts = np.zeros(len(tokens) + 1, np.int64)
    np.add.at(counts, place + 1, 1)
    used, compact = np.unique(joined[order], return_inverse=True)
    return compact.astype(np.int32), np.cumsum(counts)[offsets], [names[i] for i in used.tolist()]


def _changes(lemmatize: str | None, stem: str | None) -> Callable[[str], str]:
    """What becomes of a word: its lemma, then its stem."""
    steps: list[Callable[[str], str]] = []
    if lemmatize is not None:
        simplemma = require("simplemma", "lemmas")
        code = CODES.get(lemmatize.lower(), lemmatize)
        try:
            simplemma.lemmatize("word", lang=code)
        except ValueError:
            known = ", ".join(sorted(CODES))
            wanted = f"known by name are {known}; others by the code that simplemma has for them"
            raise InputError(f"simplemma has no language {lemmatize!r}; {wanted}") from None
        steps.append(lambda word: cast(str, simplemma.lemmatize(word, lang=code)))
    if stem is not None:
        steps.append(_stemmer(stem).stemWord)

    def change(word: str) -> str:
        for step in steps:
            word = step(word) or word
        return word

    return change


def _stemmer(language: str) -> Any:
    import snowballstemmer

    if language not in snowballstemmer.algorithms():
        known = ", ".join(snowballstemmer.algorithms())
        raise InputError(f"there is no Snowball stemmer for {language!r}; there are: {known}")
    return snowballstemmer.stemmer(language)


def _compile(pattern: str) -> re.Pattern[str]:
    if not isinstance(pattern, str):
        raise InputError(f"pattern must be a regular expression in a string, but is {pattern!r}")
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InputError(f"pattern {pattern!r} is no regular expression: {error}") from None
    if compiled.groups > 1:
        raise InputError(f"pattern {pattern!r} has {compiled.groups} groups; at most one: write (?:...)")
    return compiled


def _check_df(name: str, value: object) -> None:
    count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    share = isinstance(value, float) and 0 <= value <= 1
    if not count and not share:
        raise InputError(f"{name} must be a count (5) or a share from 0.0 to 1.0 (0.05), but is {value!r}")


def _stop_list(given: str | os.PathLike[str] | Iterable[str]) -> tuple[str, ...]:
    """The stop words by the name of a language, from a file, or as they are given."""
    if isinstance(given, str) and given in stop_word_languages():
        text = (resources.files("tealeaves") / "stop_words" / f"{given}.txt").read_text("utf-8")
        found: Iterable[str] = chain.from_iterable(
            line.partition("|")[0].split() for line in text.splitlines()
        )
    elif isinstance(given, str | os.PathLike):
        path = Path(given)
        if isinstance(given, str) and not path.is_file():
            known = ", ".join(stop_word_languages())
            raise InputError(f"no stop words for {given!r}, and no file of that name; there are: {known}")
        try:
            found = path.read_text("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise FormatError(path, f"stop words must be UTF-8: {error.reason}") from None
    elif isinstance(given, Iterable):
        found = given
    else:
        raise InputError(f"stop words must be a language, a file or words, but are {given!r}")
    words = [word for word in found if not isinstance(word, str) or word.strip()]
    wrong = next((word for word in words if not isinstance(word, str)), None)
    if wrong is not None:
        raise InputError(f"stop words must be strings, but one is {wrong!r}")
    return tuple(dict.fromkeys(word.strip() for word in words))


def _bounds(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _span(low: int, high: int | None) -> str:
    if high is None:
        return "any" if low <= 1 else f"at least {low}"
    return f"{low} to {high}"


def _df(value: int | float) -> str:
    return f"{value:g} of all" if isinstance(value, float) else str(value)
