"""Texts as raters see them: the title and the opening of a document, the surroundings of one word."""

import re

BLANKS = re.compile(r"\s+")
GAPS = re.compile(r"…(?: ?…)+")  # words that a corpus dropped, one after the other
GAP, GAP_AT_END = re.compile(r"^(?:…|\.{2,}) ?"), re.compile(r"\s*(?:…|\.{2,})$")  # one is put there anyway
TITLE = 120  # a first line of more letters is no title
NO_TITLE = tuple(".!?,;:-")  # nor one that ends so: it is a sentence, or goes on


def document(text: str, letters: int | None = None) -> dict[str, str]:
    """Title and text of a document: a short first line that stands apart from the rest is the title.

    The line after it is blank or indented, and the first line ends like no sentence; else a text whose
    lines are broken would have half a sentence for its title.

    Parameters
    ----------
    text : str
        The raw text.
    letters : int, optional
        About how much of the text is shown, whole words of it; all by default.

    Examples
    --------
    >>> document("OPEC MEETS\\n  Oil ministers met  in Vienna.\\n  They agreed.", letters=20)
    {'title': 'OPEC MEETS', 'text': 'Oil ministers met in …'}
    """
    first, _, rest = text.strip().partition("\n")
    title, below = BLANKS.sub(" ", first).strip(), opening(rest, letters)
    apart = rest[:1].isspace() and not title.endswith(NO_TITLE)
    if not below or len(title) > TITLE or not apart:
        return {"title": "", "text": opening(text, letters)}
    return {"title": "" if title == below else title, "text": below}


def opening(text: str, letters: int | None = None) -> str:
    """The first words of a text, in paragraphs as it has them, cut between words."""
    paragraphs = [BLANKS.sub(" ", part).strip() for part in re.split(r"\n\s*\n", text)]
    whole = "\n\n".join(part for part in paragraphs if part)
    if letters is None or len(whole) <= letters:
        return whole
    return GAP_AT_END.sub("", _cut_end(whole, letters)) + " …"


def around(text: str, start: int, end: int, letters: int) -> dict[str, str]:
    """A word of a text, with about ``letters`` before it and as many after it, whole words.

    Examples
    --------
    >>> around("Ministers said that crude oil prices would fall again.", 20, 25, 12)
    {'before': '… said that ', 'word': 'crude', 'after': ' oil prices …'}
    """
    before = GAPS.sub("…", BLANKS.sub(" ", text[:start]).lstrip())
    after = GAPS.sub("…", BLANKS.sub(" ", text[end:]).rstrip())
    if len(before) > letters:
        before = "… " + GAP.sub("", before[-letters:].partition(" ")[2].lstrip())
    if len(after) > letters:
        after = GAP_AT_END.sub("", _cut_end(after, letters)) + " …"
    return {"before": before, "word": BLANKS.sub(" ", text[start:end]), "after": after}


def _cut_end(text: str, letters: int) -> str:
    """About the first ``letters`` of a text; a word that is longer than that is cut."""
    cut = text[: letters + 1].rpartition(" ")[0] if not text[letters].isspace() else text[:letters]
    return (cut.rstrip() or text[:letters]) if cut.strip() else text[:letters]
