"""Where the tokens of a document stand in its text, and in which sentence."""

import ast
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tealeaves import letters
from tealeaves.errors import InputError, MissingInput
from tealeaves.preprocess import Preprocess, _changes

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

DESCRIPTION = re.compile(  # what `Preprocess.describe` writes
    r"tokens: (?P<cut>.*); text: NFC, without soft hyphens, (?P<case>lower case|case kept)"
    r"; length: (?P<length>[^;]*); stop words: (?P<stop>.*); lemmatised: (?P<lemma>[^;]*)"
    r"; stemmed: (?P<stem>[^;]*); n-grams: (?P<ngrams>[^;]*); documents with a word: [^;]*",
    re.DOTALL,
)
STOP_WORDS = re.compile(r"(?P<name>.*) \(\d+ words, [0-9a-f]{8}\), removed and closed up", re.DOTALL)
ENDS = re.compile(r"""(?P<mark>[.!?…]+)["'”’»)\]]*(?=\s|$)|[。！？]+["'”’」』）]*|\n[^\S\n]*(?=\n)""")
# before a name or a number, so that the full stop after them ends no sentence
SHORT = frozenset(
    ("mr", "mrs", "ms", "mx", "messrs", "dr", "prof", "st", "sen", "rep", "gov", "gen", "capt", "lt", "col",
     "sgt", "cpl", "maj", "adm", "rev", "hon", "pres", "hr", "fr", "nr", "fig", "figs", "vs", "cf", "vol",
     "approx", "vgl", "bzw", "ca")
)  # fmt: skip
LAST_WORD = re.compile(r"[^\W\d_]+$")
ALWAYS, WHERE_IT_COMPOSES = 1, 2
GROWS = "\u0130"  # the one letter whose lower case is longer than itself


class Span(NamedTuple):
    """Token ``token`` of a document stands at ``text[start:end]``."""

    start: int
    end: int
    token: int


def spans(corpus: "Corpus", d: int, preprocess: Preprocess | None = None) -> list[Span]:
    """Where the tokens of document d stand in its text, in their order.

    The document is cut again as the corpus says that it was (``corpus.preprocess``), and what is found is
    compared with its tokens. Where that cannot be done, since the tokens were handed over or a function cut
    them, each is looked for in the text after the one before.

    Parameters
    ----------
    corpus : Corpus
        With texts.
    d : int
        The document, from 0.
    preprocess : Preprocess, optional
        What made the corpus, where its description is not enough: with stop words that were handed over as a
        list, or a tokenizer of your own.

    Returns
    -------
    list of Span
        ``start``, ``end`` and ``token``, its number in the document: ``corpus.document(d)[token]``. n-grams
        reach from the first of their words to the last. Tokens outside the vocabulary have theirs, too,
        unless the corpus does not tell what they were.

    Raises
    ------
    MissingInput
        If the corpus has no texts, or no order.
    InputError
        If text and tokens do not belong together; it names the document and the first token without a place.

    Examples
    --------
    >>> import tealeaves as tl
    >>> choices = tl.Preprocess(stop_words="english")
    >>> corpus = tl.Corpus.from_texts(["The PRICE of oil."], choices)
    >>> [("The PRICE of oil."[start:end], token) for start, end, token in spans(corpus, 0)]
    [('PRICE', 0), ('oil', 1)]
    """
    if corpus.texts is None:
        raise MissingInput(
            "the corpus has no texts to find its tokens in; read it from texts (tl.read_corpus, "
            "Corpus.from_texts)"
        )
    found = _again(corpus, d, preprocess)
    return found if found is not None else _sought(corpus, d)


def sentence_ids(corpus: "Corpus", preprocess: Preprocess | None = None) -> NDArray[np.int32]:
    """The sentence of each token of the corpus, numbered through all documents; shape (N,).

    A sentence ends with one of ``. ! ? …``, closing quotes and brackets included, before a blank and no
    lower-case letter; with ``。！？``; with an empty line; and with the document. A full stop ends none after
    a single letter (J. Smith, U.S.), a title or other short form that stands before a name or number (Dr.,
    vs.), or the number of an item (1. First). A token without a place in the text goes with the one before.

    Parameters
    ----------
    corpus, preprocess
        As for `spans`.

    Examples
    --------
    >>> import tealeaves as tl
    >>> sentence_ids(tl.Corpus.from_texts(["Oil fell. Gas, too, fell.", "Why? Taxes."]))
    array([0, 0, 1, 1, 1, 2, 3], dtype=int32)
    """
    result = np.zeros(corpus.n_tokens, np.int32)
    first = 0
    for d in range(len(corpus)):
        found = spans(corpus, d, preprocess)
        n = int(corpus.offsets[d + 1] - corpus.offsets[d])
        if not n:
            continue
        of_token = np.zeros(n, np.int64)
        ends = sentence_ends(corpus.texts[d]) if corpus.texts is not None else []
        if found:
            starts, _, which = np.array(found).T
            of_token[which] = np.searchsorted(ends, starts, side="right")
        result[corpus.offsets[d] : corpus.offsets[d + 1]] = first + np.maximum.accumulate(of_token)
        first += len(ends) + 1
    return result


def sentence_ends(text: str) -> list[int]:
    """Where sentences end, as positions after their last character; the end of the text is not among them.

    Examples
    --------
    >>> text = 'It fell. "Why?" asked J. Smith.'
    >>> [text[a:b] for a, b in zip([0, *sentence_ends(text)], [*sentence_ends(text), None])]
    ['It fell.', ' "Why?" asked J. Smith.']
    """
    ends: list[int] = []
    for found in ENDS.finditer(text):
        if found["mark"] is not None:
            following = text[found.end() : found.end() + 200].lstrip().lstrip("\"'“‘«([")[:1]
            if not following or following.islower():
                continue
            if found["mark"] == "." and _ends_none(text, ends[-1] if ends else 0, found.start()):
                continue
        ends.append(found.end())
    return ends


def _ends_none(text: str, begin: int, stop: int) -> bool:
    """Whether the full stop at ``stop`` belongs to the word before it, or to the number of an item.

    ``begin`` is where the sentence began.
    """
    near = max(begin, stop - 20)
    before = text[near:stop]
    word = LAST_WORD.search(before)
    if word is not None:
        return len(word[0]) == 1 or word[0].casefold() in SHORT
    number = before.rpartition("\n")[2].strip()
    starts = near == begin or "\n" in before
    return starts and number.isdecimal() and len(number) <= 3


@dataclass(frozen=True)
class _Text:
    """A text as preprocessing cuts it, and where its characters come from."""

    text: str
    lower: bool

    @cached_property
    def normal(self) -> str:
        return letters.normalise(self.text, lower=self.lower)

    @cached_property
    def _origins(self) -> tuple[list[int], list[int]] | None:
        """Where each character of ``normal`` starts and ends in the text; None where they are the same."""
        text = self.text
        same = letters.SOFT_HYPHEN not in text and unicodedata.is_normalized("NFC", text)
        if text.isascii() or (same and not (self.lower and GROWS in text)):
            return None
        starts: list[int] = []
        ends: list[int] = []
        for begin, end in _clusters(text):
            width = len(letters.normalise(text[begin:end], lower=self.lower))
            starts += [begin] * width
            ends += [end] * width
        return starts, ends

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where ``normal[start:end]`` stands in the text."""
        if self._origins is None:
            return start, end
        starts, ends = self._origins
        return starts[start], ends[end - 1]


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """A character with the marks, soft hyphens and parts of Hangul that melt into it, one after another."""
    begin = 0
    for i, character in enumerate(text):
        joins = _joins(character)
        if i and not (joins and (joins == ALWAYS or _composes(text[begin:i], character))):
            yield begin, i
            begin = i
    if text:
        yield begin, len(text)


@cache
def _joins(character: str) -> int:
    """Whether a character goes with the one before it: 0 for no, ALWAYS, or WHERE_IT_COMPOSES."""
    if character == letters.SOFT_HYPHEN or unicodedata.category(character)[0] == "M":
        return ALWAYS
    code = ord(character)
    return WHERE_IT_COMPOSES if 0x1161 <= code < 0x1176 or 0x11A8 <= code < 0x11C3 else 0


def _composes(before: str, character: str) -> bool:
    """Whether a vowel or final of Hangul becomes one letter with what stands before it."""
    alone = letters.normalise(before)
    return len(letters.normalise(before + character)) == len(alone)


@dataclass(frozen=True, eq=False)
class _Rules:
    """What preprocessing does to one document, with places; ``complete`` if its stop words are known."""

    preprocess: Preprocess
    complete: bool

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        given = self.preprocess.pattern
        return letters.letters_pattern() if given is None else re.compile(given)

    @cached_property
    def stop(self) -> tuple[set[str], dict[str, list[tuple[str, ...]]]]:
        """Stop words of one token, and by their first those of several."""
        phrases: dict[str, list[tuple[str, ...]]] = {}
        for phrase in self.preprocess._stop_tokens:
            if len(phrase) > 1:
                phrases.setdefault(phrase[0], []).append(phrase)
        return {phrase[0] for phrase in self.preprocess._stop_tokens if len(phrase) == 1}, phrases

    @cached_property
    def change(self) -> Callable[[str], str]:
        """From a word to its lemma and stem."""
        return cache(_changes(self.preprocess.lemmatize, self.preprocess.stem))

    def cut(self, text: _Text) -> list[tuple[int, int, str]]:
        """The words that are kept, changed as they are, with their places in the normalised text."""
        group = min(self.pattern.groups, 1)
        found = [(*m.span(group), m[group]) for m in self.pattern.finditer(text.normal) if m[group]]
        single, phrases = self.stop
        longest = self.preprocess.max_length
        keep = [
            word not in single
            and len(word) >= self.preprocess.min_length
            and (longest is None or len(word) <= longest)
            for _, _, word in found
        ]
        words = [word for _, _, word in found]
        for i, word in enumerate(words):
            for phrase in phrases.get(word, ()):
                if tuple(words[i : i + len(phrase)]) == phrase:
                    keep[i : i + len(phrase)] = [False] * len(phrase)
        return [(a, b, self.change(word)) for (a, b, word), stays in zip(found, keep, strict=True) if stays]

    def tokens(self, text: _Text) -> list[tuple[int, int, str]]:
        """The tokens: words, or n of them joined."""
        words = self.cut(text)
        low, high = self.preprocess._ngrams
        return [
            (words[i][0], words[i + n - 1][1], "_".join(word for _, _, word in words[i : i + n]))
            for i in range(len(words))
            for n in range(low, high + 1)
            if i + n <= len(words)
        ]


def _again(corpus: "Corpus", d: int, preprocess: Preprocess | None) -> list[Span] | None:
    """The spans by cutting the text once more; None where it is not known how it was cut."""
    rules = _rules(corpus.preprocess) if preprocess is None else _own_rules(preprocess)
    if rules is None or corpus.texts is None:
        return None
    wanted = corpus.document(d).tolist()
    text = _Text(corpus.texts[d], rules.preprocess.lower)
    made = rules.tokens(text)
    ids = [corpus.index.get(word.strip(), -1) for _, _, word in made]
    if rules.complete:
        chosen = list(range(len(ids))) if ids == wanted else None
    elif rules.preprocess._ngrams != (1, 1):
        raise MissingInput(
            "n-grams cannot be found in the text without the stop words that were left out before; hand over "
            "preprocess=, the Preprocess that made the corpus"
        )
    else:  # some words went, unknown which: the tokens are found in order among those that are there
        chosen = _embedded(wanted, ids)
    if chosen is None:
        at = next((i for i, (a, b) in enumerate(zip(wanted, ids, strict=False)) if a != b), len(ids))
        raise InputError(_misfit(corpus, d, min(at, len(wanted) - 1), "cut as the corpus says, the text"))
    return [Span(*text.place(made[i][0], made[i][1]), t) for t, i in enumerate(chosen)]


def _embedded(wanted: list[int], ids: list[int]) -> list[int] | None:
    """The first places where ``wanted`` stands in order among ``ids``."""
    chosen, i = [], 0
    for one in wanted:
        while i < len(ids) and ids[i] != one:
            i += 1
        if i == len(ids):
            return None
        chosen.append(i)
        i += 1
    return chosen


def _sought(corpus: "Corpus", d: int) -> list[Span]:
    """The spans of tokens that were handed over: each is looked for after the one before.

    As whole words first, as they are or in any case; then as parts of words, as stems are.
    """
    if not corpus.ordered:
        raise MissingInput("the tokens of this corpus have no order, so they cannot be found in its texts")
    ids = corpus.document(d).tolist()
    given = corpus.texts[d] if corpus.texts is not None else ""
    furthest = 0
    for lower, whole in ((False, True), (True, True), (True, False)):
        text = _Text(given, lower)
        found: list[Span] = []
        position = 0
        for t, i in enumerate(ids):
            if i < 0:
                continue  # the corpus does not tell what it was
            token = letters.normalise(corpus.vocabulary[i], lower=lower)
            match = _token_pattern(token, whole).search(text.normal, position) if token else None
            if match is None:
                furthest = max(furthest, t)
                break
            found.append(Span(*text.place(*match.span()), t))
            position = match.end()
        else:
            return found
    raise InputError(_misfit(corpus, d, furthest, "the text"))


@cache
def _token_pattern(token: str, whole: bool) -> re.Pattern[str]:
    """The token; parts joined by _ or blanks, as n-grams are, may have signs and blanks between them."""
    parts = [re.escape(part) for part in re.split(r"[_\s]+", token) if part]
    inner = r"[\W_]+".join(parts) if parts else re.escape(token)
    return re.compile(rf"(?<!\w){inner}(?!\w)" if whole else inner)


def _misfit(corpus: "Corpus", d: int, t: int, what: str) -> str:
    tokens = corpus.document(d)
    named = f" {corpus.ids[d]!r}" if corpus.ids is not None else ""
    if not len(tokens):
        return f"document {d}{named} has no tokens, but {what} gives some: are these its own texts?"
    token = repr(corpus.vocabulary[tokens[t]]) if tokens[t] >= 0 else "outside the vocabulary"
    return (
        f"document {d}{named}: {what} does not give its tokens, from token {t} ({token}) of {len(tokens)} "
        "on; texts and tokens must be of the same documents, in the same order"
    )


@cache
def _rules(description: str) -> _Rules | None:
    """The preprocessing that a corpus describes; None where its tokens were not cut by a pattern."""
    found = DESCRIPTION.fullmatch(description)
    if not found:
        return None
    cut = found["cut"]
    if cut == "letters with their marks":
        pattern = None
    elif cut.startswith("pattern "):
        pattern = ast.literal_eval(cut.removeprefix("pattern "))
    elif cut.endswith("str.split"):
        pattern = r"\S+"
    else:
        return None
    low, _, high = found["ngrams"].partition(" to ")
    least, most = _lengths(found["length"])
    stop = STOP_WORDS.fullmatch(found["stop"])
    options: dict[str, Any] = {
        "pattern": pattern,
        "lower": found["case"] == "lower case",
        "min_length": least,
        "max_length": most,
        "lemmatize": None if found["lemma"] == "no" else found["lemma"],
        "stem": None if found["stem"] == "no" else found["stem"],
        "ngrams": (int(low), int(high or low)),
    }
    if stop is None:
        return _Rules(Preprocess(**options), complete=found["stop"] == "none removed")
    try:
        known = Preprocess(stop_words=stop["name"], **options)
    except (InputError, OSError):
        return _Rules(Preprocess(**options), complete=False)
    if known._named_stop_words() != found["stop"]:  # a file that has changed
        return _Rules(Preprocess(**options), complete=False)
    return _Rules(known, complete=True)


def _own_rules(preprocess: Preprocess) -> _Rules | None:
    return None if preprocess.tokenizer is not None else _Rules(preprocess, complete=True)


def _lengths(text: str) -> tuple[int, int | None]:
    """What ``length:`` of a description says."""
    if text == "any":
        return 1, None
    if text.startswith("at least "):
        return int(text.removeprefix("at least ")), None
    low, _, high = text.partition(" to ")
    return int(low), int(high)
