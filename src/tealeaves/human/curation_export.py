"""Reference topics out of a curator's log, in memory and as files that `read_reference_topics` opens."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError
from tealeaves.human.curation import Curation, judgements
from tealeaves.human.curation_state import CuratedTopic
from tealeaves.human.export import csv_text

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.reference_topics import ReferenceTopics

DOMINANT = {"words": "words", "documents": "docs", "": None}
COLUMNS = ("topic", "word", "document", "weight", "size")


def reference_topics(
    curation: Curation,
    corpus: "Corpus | None" = None,
    readers: Sequence[Curation] = (),
    *,
    agreed: bool = False,
    name: str = "curated",
) -> "ReferenceTopics":
    """As `Curation.reference_topics` says."""
    from tealeaves.reference_topics import ReferenceTopics

    chosen, notes = _chosen(curation, readers, agreed)
    labels = [topic.label for topic in chosen]
    words = {topic.label: list(topic.words) for topic in chosen}
    documents = {topic.label: list(topic.documents) for topic in chosen}
    divisions = dict.fromkeys(division for topic in chosen for division in topic.categories)
    of_labels = {d: {topic.label: topic.categories.get(d, "") for topic in chosen} for d in divisions}
    if corpus is None:
        if not any(words.values()):
            raise InputError("only documents were ticked: hand over their corpus, which has their words")
        made = ReferenceTopics.from_words(
            words,
            documents=documents if any(documents.values()) else None,
            sizes={topic.label: float(len(topic.documents)) for topic in chosen if topic.documents} or None,
            categories=of_labels,
            name=name,
        )
        notes.append("no corpus was handed over: each ticked word weighs 1, and documents add no words")
    else:
        dominant = {topic.label: DOMINANT[topic.preference] for topic in chosen}
        made = ReferenceTopics.from_annotations(words, documents, corpus, dominant=dominant, name=name)
    return ReferenceTopics(
        made.vocabulary,
        made.topic_word,
        labels,
        topic_document=made.topic_document,
        document_ids=made.document_ids,
        sizes=made.sizes,
        categories={d: [of[label] for label in labels] for d, of in of_labels.items()},
        name=name,
        notes=[*made.notes, *notes],
    )


def write(
    curation: Curation,
    path: Path,
    corpus: "Corpus | None" = None,
    readers: Sequence[Curation] = (),
    *,
    agreed: bool = False,
) -> "ReferenceTopics":
    """As `Curation.write` says."""
    made = reference_topics(curation, corpus, readers, agreed=agreed)
    kind = path.suffix.lower()
    if kind not in (".json", ".csv"):
        made.save(path)
        return made
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file, or leave out the ending for a folder")
    told = _json(curation, made, readers) if kind == ".json" else _csv(made)
    write_whole(path, told)
    return made


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, "utf-8", newline="")
    part.replace(path)


def _chosen(
    curation: Curation, readers: Sequence[Curation], agreed: bool
) -> tuple[list[CuratedTopic], list[str]]:
    """The topics that are exported, and what is said of the others."""
    said = judgements(curation, readers)
    kept: list[CuratedTopic] = []
    out: dict[str, list[str]] = {}
    for topic in curation.state.topics.values():
        verdicts = [one.verdict for _, one in said[topic.id] if one.at >= topic.changed]
        if not topic.label:
            out.setdefault("have no name", []).append(topic.id)
        elif not topic.words and not topic.documents:
            out.setdefault("have neither words nor documents", []).append(topic.label)
        elif agreed and ("agree" not in verdicts or "disagree" in verdicts):
            out.setdefault("were not agreed to by a second reader", []).append(topic.label)
        else:
            kept.append(topic)
    notes = [f"left out, because they {why}: {', '.join(names)}" for why, names in out.items()]
    if not kept:
        none = "there is no reference topic with a name and words or documents"
        raise InputError("; ".join([none, *notes]))
    return kept, notes


def _json(curation: Curation, made: "ReferenceTopics", readers: Sequence[Curation]) -> str:
    said = judgements(curation, readers)
    by_label = {topic.label: topic for topic in curation.state.topics.values() if topic.label}
    topics = []
    for r, label in enumerate(made.labels):
        topic = by_label[label]
        sources = [curation.items[item] for item in topic.items]
        topics.append(
            {
                "label": label,
                "words": _weights(made.vocabulary, made.topic_word[r]),
                "documents": _weights(made.document_ids or (), _row(made.topic_document, r)),
                "size": float(len(topic.documents)) if topic.documents else None,
                "categories": dict(topic.categories),
                "description": topic.description,
                "preference": topic.preference,
                "ticked": list(topic.words),
                "model_topics": [{"model": one.model, "topic": one.topic} for one in sources],
                "curator": curation.curator,
                "judgements": [
                    {
                        "reader": reader,
                        "verdict": one.verdict,
                        "remark": one.remark,
                        "of_this_version": one.at >= topic.changed,
                    }
                    for reader, one in said[topic.id]
                ],
            }
        )
    return json.dumps({"topics": topics}, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _csv(made: "ReferenceTopics") -> str:
    rows: list[dict[str, Any]] = []
    for r, label in enumerate(made.labels):
        size = None if made.sizes is None or not made.sizes[r] > 0 else float(made.sizes[r])
        about = {"topic": label, "size": size, **{d: of[r] for d, of in made.categories.items()}}
        words = _weights(made.vocabulary, made.topic_word[r])
        documents = _weights(made.document_ids or (), _row(made.topic_document, r))
        rows += [{**about, "word": one, "weight": weight} for one, weight in words.items()]
        rows += [{**about, "document": one, "weight": weight} for one, weight in documents.items()]
    return csv_text(rows, (*COLUMNS, *made.categories))


def _row(matrix: Any, r: int) -> Any:
    return () if matrix is None else matrix[r]


def _weights(names: Sequence[str], row: Any) -> dict[str, float]:
    """The names that weigh something, heaviest first."""
    held = [(name, float(weight)) for name, weight in zip(names, row, strict=True) if weight > 0]
    return dict(sorted(held, key=lambda pair: -pair[1]))
