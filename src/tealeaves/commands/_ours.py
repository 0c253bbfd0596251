"""What `inspect` says of reference topics, matchers, studies and experiments."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

HEAD = 200  # bytes: the format of what tealeaves writes as JSON stands at its beginning


def described(path: Path) -> tuple[str, dict[str, Any]] | None:
    """What it is called and what there is to say of it; None if it is nothing of these."""
    if path.is_dir():
        found = next(
            (kind for kind in FOLDERS if all((path / file).is_file() for file in FOLDERS[kind][0])), None
        )
        return None if found is None else (found, FOLDERS[found][1](path))
    if path.suffix == ".json" and path.is_file():
        with path.open("rb") as file:
            if b'"tealeaves matcher"' in file.read(HEAD):
                return "matcher", _matcher(path)
    return None


def _reference_topics(path: Path) -> dict[str, Any]:
    from tealeaves.reference_topics import read_reference_topics

    found = read_reference_topics(path)
    documents = 0 if found.topic_document is None else found.topic_document.shape[1]
    words = zip(found.labels, found.top_words(8), strict=True)
    return {
        "name": found.name,
        "n_topics": len(found),
        "vocabulary": len(found.vocabulary),
        "documents": documents,
        "sizes": "known" if found.sizes is not None else "",
        "categories": list(found.categories),
        "topics": [[f"{label}:", *top] for label, top in words],
        "notes": list(found.notes),
    }


def _study(path: Path) -> dict[str, Any]:
    from tealeaves.human.study import Study

    study = Study.open(path)
    return {
        "title": study.settings.title,
        "task": study.items.task,
        "items": len(study.items),
        "state": study.state,
        "digest": study.items.digest,
    }


def _experiment(path: Path) -> dict[str, Any]:
    content = json.loads((path / "manifest.json").read_bytes())
    return {name: value for name, value in content.items() if isinstance(value, str | int | float)}


def _matcher(path: Path) -> dict[str, Any]:
    from tealeaves.matcher import Matcher

    found = Matcher.load(path)
    return {"features": list(found.features), "says": str(found), "notes": list(found.notes)}


FOLDERS: dict[str, tuple[tuple[str, ...], Callable[[Path], dict[str, Any]]]] = {
    "reference topics": (("reference.json", "topic_word.npy"), _reference_topics),
    "study": (("study.json", "items.jsonl"), _study),
    "experiment": (("manifest.json", "spec.toml"), _experiment),
}
