"""Writer of topics over time: our own folder, and lists of words by slice in JSON or CSV."""

import csv
import io
import json
import os
from pathlib import Path

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.writers._files import put

UNSAFE = set('/\\:*?"<>|\n\r\t\0')  # in names of files, on one system or another

ENDINGS = {"": "tealeaves", ".json": "json", ".csv": "csv"}
FORMATS = (*ENDINGS.values(), "slices")


def write_dynamic(
    model: DynamicTopicModel, path: str | os.PathLike[str], format: str | None = None, *, top: int = 50
) -> tuple[str, ...]:
    """Write topics over time to ``path`` and say what the format has no place for.

    Parameters
    ----------
    model : DynamicTopicModel
    path : path
        A file, or a folder for "tealeaves".
    format : {"tealeaves", "json", "csv", "slices"}, optional
        By default the ending of ``path`` tells. JSON and CSV hold the ``top`` words of each topic in each
        slice, JSON null where a topic is missing. "slices" is a folder with a text file for each slice,
        whose lines are topics, blank where one is missing.

    Raises
    ------
    InputError
        If there is no such format for topics over time, or a slice cannot be a file's name or a word
        cannot stand in a line.
    """
    path = Path(path)
    name = format or ENDINGS.get(path.suffix.lower())
    if name not in FORMATS:
        asked = f"there is no format {format!r}" if format else f"{path}: its name tells no format"
        raise InputError(f"{asked} to write topics over time; there are: {', '.join(FORMATS)}")
    if name == "tealeaves":
        model.save(path)
        return ()
    if name == "slices":
        if path.exists() and not (path.is_dir() and not any(path.iterdir())):
            raise InputError(f"{path} is there already: name a new folder")
        put(path, _files(model, top))
    else:
        put(path, {"": _json(model, top) if name == "json" else _csv(model, top)})
    left = [] if model.topic_word is None or name == "csv" else ["weights of words"]
    left += ["topics of documents"] if model.doc_topic is not None else []
    left += ["names of topics"] if model.topic_names is not None and name != "json" else []
    left += ["slices without topics"] if name == "csv" and not model.present.any(axis=1).all() else []
    left += ["topics without words"] if name == "csv" and not model.present.any(axis=0).all() else []
    what = "a folder of slices" if name == "slices" else str(name).upper()
    return (f"{what} has no place for {' and '.join(left)}",) if left else ()


def _json(model: DynamicTopicModel, top: int) -> str:
    slices = [
        [words if there else None for words, there in zip(topics, present, strict=True)]
        for topics, present in zip(model.top_words(top), model.present.tolist(), strict=True)
    ]
    content = {"slice_labels": list(model.slice_labels), "axes": "time topic word", "top_words": slices}
    if model.topic_names is not None:
        content["topic_names"] = list(model.topic_names)
    return json.dumps(content, ensure_ascii=False) + "\n"


def _files(model: DynamicTopicModel, top: int) -> dict[str, str | bytes]:
    """The text of each slice by the name of its file."""
    files: dict[str, str | bytes] = {}
    for label, topics in zip(model.slice_labels, model.top_words(top), strict=True):
        if not UNSAFE.isdisjoint(label) or label.startswith("."):
            raise InputError(f"slice {label!r} cannot be the name of a file: write JSON instead")
        for k, words in enumerate(topics):
            if bad := next((word for word in words if len(word.split()) > 1), None):
                found = f"topic {k} in slice {label} holds {bad!r}"
                raise InputError(f"{found}, whose blank would make two words of it: write JSON instead")
        files[f"{label}.txt"] = "".join(" ".join(words) + "\n" for words in topics)
    return files


def _csv(model: DynamicTopicModel, top: int) -> str:
    """A row for each top word of each topic in each slice; a topic that is missing there has none."""
    index = {word: i for i, word in enumerate(model.vocabulary)}
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["slice", "topic", "rank", "word"] + ([] if model.topic_word is None else ["weight"]))
    for t, topics in enumerate(model.top_words(top)):
        for k, words in enumerate(topics):
            for rank, word in enumerate(words, start=1):
                weights = [] if model.topic_word is None else [model.topic_word[t, k, index[word]]]
                rows.writerow([model.slice_labels[t], k, rank, word, *(repr(float(w)) for w in weights)])
    return file.getvalue()
