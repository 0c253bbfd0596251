"""Sentences of a study's own as one writes them in a form: a name, =, and the sentence, a line each."""

import re
from collections.abc import Mapping, Sequence

from tealeaves.errors import InputError

Texts = dict[str, str | list[str]]


def own_texts(text: str) -> Texts:
    """Sentences by name; of a list each entry has a line of its own, its name followed by ``[]``.

    Raises
    ------
    InputError
        If a line has no = or names a sentence twice.

    Examples
    --------
    >>> own_texts("document = story\\nword_intrusion.rules[] = Take your time.")
    {'document': 'story', 'word_intrusion.rules': ['Take your time.']}
    """
    found: Texts = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, equals, said = (part.strip() for part in line.partition("="))
        if not equals or not said or not re.fullmatch(r"[\w.]+(\[\])?", name):
            raise InputError(f'own texts are lines such as "document = story"; got {line!r:.80}')
        if name.endswith("[]"):
            entries = found.setdefault(name[:-2], [])
            if isinstance(entries, str):
                raise InputError(f"{name[:-2]} is given as a sentence and as a list: only one can be")
            entries.append(said)
        elif name in found:
            raise InputError(f"{name} is given twice; of a list each entry is a line {name}[] = …")
        else:
            found[name] = said
    return found


def written(texts: Mapping[str, str | Sequence[str]]) -> str:
    """The reverse of `own_texts`.

    Examples
    --------
    >>> print(written({"document": "story", "word_intrusion.rules": ["Take your time."]}))
    document = story
    word_intrusion.rules[] = Take your time.
    """
    lines = []
    for name, said in texts.items():
        lines += [f"{name} = {said}"] if isinstance(said, str) else [f"{name}[] = {one}" for one in said]
    return "\n".join(lines)


def paragraphs(text: str) -> tuple[str, ...]:
    """Paragraphs, an empty line between them."""
    parts = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    return tuple(" ".join(part.split()) for part in parts if part.strip())
