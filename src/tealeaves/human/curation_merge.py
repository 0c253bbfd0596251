"""Two curators' reference topics put together as one set, with what they differ in."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.human.curation import Curation, judgements
from tealeaves.human.curation_alike import ALIKE, Match, agreement, named, paired
from tealeaves.human.curation_events import Event
from tealeaves.human.curation_export import write_whole
from tealeaves.human.curation_state import CuratedTopic

if TYPE_CHECKING:
    import polars

    from tealeaves.corpus import Corpus
    from tealeaves.reference_topics import ReferenceTopics

KEEP = ("either", "both")


@dataclass(frozen=True, eq=False, repr=False)
class Merged:
    """Two curators' sets as one: what `merge_curations` returns.

    Attributes
    ----------
    curators : tuple of str
        Whose sets they are.
    matches : tuple of Match
        Topics of both first, the least alike of them before the others; then those of one.
    agreement : polars.DataFrame
        A row for each of "reference topics" (the share of all that both made), "names" (the share of these
        with one name), and "words", "documents" and "model topics" (Krippendorff's alpha, nominal: ticked or
        not, in topics of both; used or set aside): ``of``, ``coefficient``, ``value``, ``n``, ``reason``.
    curation : Curation
        A log of the merged set, as a curator's; ``.write(path, corpus)`` writes it.
    notes : tuple of str
        What was left out, and which names were given up.
    """

    curators: tuple[str, str]
    matches: tuple[Match, ...]
    agreement: "polars.DataFrame"
    curation: Curation
    notes: tuple[str, ...] = ()

    @property
    def differences(self) -> "polars.DataFrame":
        """A row per match: both names, likeness, and words and documents of both, of one, of the other."""
        import polars as pl

        rows = [_row(match) for match in self.matches]
        schema: dict[str, Any] = {"first": pl.String, "second": pl.String, "likeness": pl.Float64}
        names = (name for kind in ("words", "documents") for name in _columns(kind))
        schema |= dict.fromkeys(names, pl.List(pl.String))
        return pl.DataFrame(rows, schema={**schema, "kept": pl.Boolean, "why": pl.String})

    def reference_topics(self, corpus: "Corpus | None" = None) -> "ReferenceTopics":
        """The merged set, weighed as `Curation.reference_topics` does; ``notes`` say how well both agree."""
        from tealeaves.reference_topics import ReferenceTopics

        made = self.curation.reference_topics(corpus, name=" + ".join(self.curators))
        return ReferenceTopics(
            made.vocabulary,
            made.topic_word,
            made.labels,
            topic_document=made.topic_document,
            document_ids=made.document_ids,
            sizes=made.sizes,
            categories=made.categories,
            name=made.name,
            notes=[*made.notes, *self.notes, self.said()],
        )

    def write(self, path: str | PathLike[str], corpus: "Corpus | None" = None) -> "ReferenceTopics":
        """Write the merged set as `Curation.write` does; JSON has the agreement of both, too."""
        target = Path(path)
        self.curation.write(target, corpus)
        if target.suffix.lower() == ".json":
            told = json.loads(target.read_text("utf-8"))
            by_label = {match.label: match for match in self.matches if match.kept}
            for topic in told["topics"]:
                topic["likeness"] = _defined(by_label[topic["label"]].likeness)
            rows = [{**row, "value": _defined(row["value"])} for row in self.agreement.to_dicts()]
            told["agreement"] = {"curators": list(self.curators), "of": rows, "notes": list(self.notes)}
            text = json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
            write_whole(target, text)
        return self.reference_topics(corpus)

    def said(self) -> str:
        """Agreement in one sentence."""
        parts = [
            f"{row['of']} {row['reason'] if np.isnan(row['value']) else format(row['value'], '.2f')} "
            f"({row['coefficient']}, n = {row['n']})"
            for row in self.agreement.to_dicts()
        ]
        return f"agreement of {' and '.join(self.curators)}: {'; '.join(parts)}"

    def __repr__(self) -> str:
        both = sum(match.first is not None and match.second is not None for match in self.matches)
        alone = len(self.matches) - both
        return f"<Merged {' and '.join(self.curators)}: {both} topics of both, {alone} of one>"


def merge_curations(first: Curation, second: Curation, keep: str = "either", alike: float = ALIKE) -> Merged:
    """Put together what two curators made of the same topics of models.

    Topics of one name are one; of the others those that are most alike, one to one, so that the likeness of
    all is largest. What one made and the other agreed to as a second reader counts as made by both.

    Parameters
    ----------
    first, second : Curation
        Logs over the same items, as `curations` reads them. Topics without a name are left out.
    keep : {"either", "both"}
        Words and documents that either ticked, and topics that either made; or only what both did.
    alike : float
        From which likeness on two topics of different names are one.

    Raises
    ------
    InputError
        If the logs are of different items, or of one curator, or nothing is left.

    Examples
    --------
    >>> from tealeaves.human.item_sets import Item
    >>> shown = {"words": ["oil", "gas", "said", "opec"], "weights": None, "documents": []}
    >>> items = [Item("i0001", "reference_topic_curation", "lda", 7, shown=shown)]
    >>> make = {"do": "make", "topic": "r1", "item": "i0001"}
    >>> ana = Curation(items, [{**make, "label": "energy", "words": ["oil", "gas"]}], "ana")
    >>> ben = Curation(items, [{**make, "label": "oil", "words": ["oil", "opec"]}], "ben")
    >>> found = merge_curations(ana, ben)
    >>> found.matches[0].label, round(found.matches[0].likeness, 2)
    ('energy', 0.67)
    >>> found.curation.state.topics["m1"].words
    ('oil', 'gas', 'opec')
    """
    _check(first, second, keep)
    pairs = paired(named(first), named(second), alike)
    matches = [_judged(match, first, second, keep) for match in pairs]
    curators = (first.curator, second.curator)
    made = Curation(first.items.values(), _events(matches, keep), " + ".join(curators))
    return Merged(
        curators, tuple(matches), agreement(matches, first, second), made, tuple(_notes(matches, curators))
    )


def _check(first: Curation, second: Curation, keep: str) -> None:
    if keep not in KEEP:
        raise InputError(f"keep must be one of {', '.join(KEEP)}; got {keep!r}")
    if _shown(first) != _shown(second):
        raise InputError("the two logs are over different items: merge curators of one study")
    if first.curator == second.curator:
        raise InputError(f"both logs are of {first.curator or 'one curator'}: name two curators")


def _shown(curation: Curation) -> dict[str, tuple[Any, ...]]:
    """What was before a curator: by item, whose topic it is, its words and its documents."""
    return {
        name: (
            item.model,
            item.topic,
            [*item.shown["words"]],
            [str(d["id"]) for d in item.shown["documents"]],
        )
        for name, item in curation.items.items()
    }


def _judged(match: Match, first: Curation, second: Curation, keep: str) -> Match:
    """The match, with whether it is kept."""
    if keep == "both" and match.first is not None and match.second is not None:
        shares = any(_chosen(match, kind, keep) for kind in ("words", "documents"))
        return match if shares else _out(match, "no word or document was ticked by both")
    own, other = (first, second) if match.first is not None else (second, first)
    topic = match.first or match.second
    if keep == "either" or topic is None:
        return match
    said = [one for reader, one in judgements(own, [other])[topic.id] if one.at >= topic.changed]
    if any(one.verdict == "agree" for one in said):
        return match
    return _out(match, f"{other.curator} {'disagrees' if said else 'has nothing like it'}")


def _out(match: Match, why: str) -> Match:
    return Match(match.first, match.second, match.likeness, kept=False, why=why)


def _chosen(match: Match, kind: str, keep: str) -> list[str]:
    """The words, documents or model topics of a match that are kept, in the first's order."""
    sides = [getattr(side, kind) for side in (match.first, match.second) if side is not None]
    if keep == "both" and len(sides) == 2 and kind != "items":
        return [one for one in sides[0] if one in sides[1]]
    return list(dict.fromkeys(one for side in sides for one in side))


def _events(matches: Sequence[Match], keep: str) -> list[Event]:
    """The merged set as steps of a curator."""
    events: list[Event] = []
    for number, match in enumerate((one for one in matches if one.kept), start=1):
        name = f"m{number}"
        sides = [side for side in (match.first, match.second) if side is not None]
        origin, *others = _chosen(match, "items", keep)
        events.append({"do": "make", "topic": name, "item": origin, "label": match.label})
        events += [{"do": "join", "topic": name, "item": item} for item in others]
        marks = {kind: dict.fromkeys(_chosen(match, kind, keep), True) for kind in ("words", "documents")}
        events.append({"do": "tick", "topic": name, **marks})
        if text := "\n".join(dict.fromkeys(side.description for side in sides if side.description)):
            events.append({"do": "describe", "topic": name, "text": text[:2000]})
        if sides[0].preference and all(side.preference == sides[0].preference for side in sides):
            events.append({"do": "prefer", "topic": name, "preference": sides[0].preference})
        for division, value in _categories(sides).items():
            events.append({"do": "categorise", "topic": name, "value": value, "division": division})
    return events


def _categories(sides: Iterable[CuratedTopic]) -> dict[str, str]:
    """Classes by division; where two differ, the first's."""
    found: dict[str, str] = {}
    for side in sides:
        for division, value in side.categories.items():
            found.setdefault(division, value)
    return found


def _notes(matches: Sequence[Match], curators: tuple[str, str]) -> Iterable[str]:
    for match in matches:
        one, two = match.first, match.second
        if (
            match.kept
            and one is not None
            and two is not None
            and one.label.casefold() != two.label.casefold()
        ):
            yield f"{one.label!r} of {curators[0]} and {two.label!r} of {curators[1]} are taken for one"
    out: dict[str, list[str]] = {}
    for match in matches:
        if not match.kept:
            out.setdefault(match.why, []).append(match.label)
    yield from (f"left out, because {why}: {', '.join(names)}" for why, names in out.items())


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _columns(kind: str) -> tuple[str, str, str]:
    return f"{kind}_both", f"{kind}_first", f"{kind}_second"


def _row(match: Match) -> dict[str, Any]:
    found: dict[str, Any] = {
        "first": match.first.label if match.first else None,
        "second": match.second.label if match.second else None,
        "likeness": match.likeness,
        "kept": match.kept,
        "why": match.why,
    }
    for kind in ("words", "documents"):
        one, two = (list(getattr(side, kind)) if side else [] for side in (match.first, match.second))
        parts = (
            [x for x in one if x in two],
            [x for x in one if x not in two],
            [x for x in two if x not in one],
        )
        found |= dict(zip(_columns(kind), parts, strict=True))
    return found
