"""Reader of a folder with one text file for each slice: its name is the slice's, a line is a topic."""

from pathlib import Path

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.readers._files import read_lines
from tealeaves.readers._slices import in_time, natural
from tealeaves.readers.topics_text import LABEL, NUMBER

LOOKED_AT = 20  # files, to tell what a folder is
LONGEST = 200  # words: a longer line is a document, not a topic
PACKED = (".gz", ".bz2", ".xz", ".zst")


def has_files_of_slices(path: Path, names: set[str]) -> bool:
    """Whether a folder holds text files alone, all lines are short, and some file has several.

    A folder of documents with one paragraph each does not look so.
    """
    shown = sorted(name for name in names if not name.startswith("."))
    if not shown or not all(_stem(name) is not None and (path / name).is_file() for name in shown):
        return False
    several = False
    for name in shown[:LOOKED_AT]:
        try:
            lines = [line.split() for line in read_lines(path / name) if line.strip()]
        except FormatError:
            return False
        if any(len(words) > LONGEST for words in lines):
            return False
        several |= len(lines) > 1
    return several


def read_slice_files(path: str | Path) -> DynamicTopicModel:
    """Read every .txt file of a folder as a slice, in the order of time that their names tell.

    A line is a topic, best word first; a blank line between or before others is a gap, a blank file a
    slice without topics. A number at the start of a line ("Topic 3:") is no word.

    Raises
    ------
    FormatError
        If files have different numbers of lines, or a line is numbers; it names the file.
    """
    path = Path(path)
    if not path.is_dir():
        raise FormatError(path, "a folder with a text file for each slice was expected")
    files = {_stem(file.name): file for file in sorted(path.iterdir()) if _stem(file.name) and file.is_file()}
    if not files:
        raise FormatError(path, "holds no .txt file, but one for each slice was expected")
    labels = in_time(sorted((str(name) for name in files), key=natural))
    slices = {label: _topics(files[label]) for label in labels}
    most = max(len(topics) for topics in slices.values())
    wide = next(label for label in labels if len(slices[label]) == most)
    for label in labels:
        lines = len(read_lines(files[label]))
        if slices[label] and lines < most:
            wanted = f"has {lines} lines, but {files[wide].name} has {most}"
            raise FormatError(files[label], f"{wanted}: a line for each topic, blank where one is missing")
        slices[label] += [[]] * (most - len(slices[label]))
    try:
        return DynamicTopicModel(word_lists=list(slices.values()), slice_labels=labels)
    except InputError as error:
        raise FormatError(path, str(error)) from None


def _stem(name: str) -> str | None:
    """The slice that a file is of; None for what is no text file."""
    for ending in PACKED:
        name = name.removesuffix(ending)
    return name.removesuffix(".txt") if name.endswith(".txt") and not name.startswith(".") else None


def _topics(path: Path) -> list[list[str]]:
    """The topics of a slice; blank lines at the end are left out."""
    topics: list[list[str]] = []
    lines = [LABEL.sub("", line, count=1) for line in read_lines(path)]
    commas = all("," in line for line in lines if line.strip())
    for number, line in enumerate(lines, start=1):
        words = [word.strip() for word in line.split(",") if word.strip()] if commas else line.split()
        if words and 2 * sum(NUMBER.fullmatch(word) is not None for word in words) > len(words):
            raise FormatError(path, "words of a topic were expected, but found mostly numbers", line=number)
        topics.append(words)
    while topics and not topics[-1]:
        topics.pop()
    return topics
