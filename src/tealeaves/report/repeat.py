"""How to repeat a report: the command and the Python behind its numbers, with places to fill in."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tealeaves.report.rows import Row, measure_facts, unique

FROM_FILE = re.compile(r"(.+) \((.+)\)")  # how readers tell where a model is from: the file, and what it is
GIVEN = {  # what is handed to evaluate beside the models: the option, and how Python reads it
    "corpus": ("--corpus", "tl.read_corpus"),
    "reference": ("--reference", "tl.read_corpus"),
    "held_out": ("--held-out", "tl.read_corpus"),
    "reference_topics": ("--reference-topics", "tl.read_reference_topics"),
    "matcher": ("--matcher", "tl.Matcher.load"),
    "vectors": ("--vectors", "read_vectors"),
}
MATCHED = ("sup_cov", "sup_cov_nocos", "precision")  # measures that ask a matcher


class Place(NamedTuple):
    """Where a run of a model is read from: a file's name, or a place to fill in, and what it is."""

    path: str
    what: str


def places(runs: Mapping[str, Sequence[str]], details: Row) -> dict[str, list[Place]]:
    """Each run of each model; its name in capitals where the scores do not know a file."""
    known = details.get("models") or {}
    return {
        name: [_place(run, str((known.get(run) or {}).get("source") or "")) for run in group]
        for name, group in runs.items()
    }


def _place(run: str, source: str) -> Place:
    """Split what a reader says of a model.

    Examples
    --------
    >>> _place("lda-20", "state.gz (a MALLET state)")
    Place(path='state.gz', what='a MALLET state')
    >>> _place("lda-20#1", "tealeaves.fit: tomotopy LDA, k=20, seed=0")
    Place(path='LDA-20-1', what='tealeaves.fit: tomotopy LDA, k=20, seed=0')
    """
    found = FROM_FILE.fullmatch(source)
    if found and not source.startswith("tealeaves.fit:"):
        return Place(found[1], found[2])
    if source and " " not in source:  # a path as it stands
        return Place(source, "")
    return Place(run.upper().replace("#", "-"), source)


def given(details: Row, specs: Sequence[str]) -> list[str]:
    """Which of ``GIVEN`` were handed over; a reference that is the corpus itself was not.

    Of a matcher and of word vectors the scores say nothing but that measures were asked for that need them.
    """
    corpora = details.get("corpora") or {}
    prints = {role: (corpus or {}).get("fingerprint") for role, corpus in corpora.items()}
    found = [role for role in ("corpus", "reference", "held_out") if prints.get(role) is not None]
    if "corpus" in found and prints["corpus"] == prints.get("reference"):
        found.remove("reference")
    asked = {
        "reference_topics": bool(details.get("coverage")),
        "matcher": any(measure_facts(spec)["name"] in MATCHED for spec in specs),
        "vectors": any("we_coherence" in spec for spec in specs),
    }
    return [*found, *(role for role, wanted in asked.items() if wanted)]


def command(models: Mapping[str, Sequence[Place]], specs: Sequence[str], details: Row) -> str:
    """The command line: `tealeaves evaluate` with everything that changes a number."""
    settings = details.get("settings") or {}
    paths = unique(place.path for group in models.values() for place in group)
    parts = ["tealeaves evaluate " + " ".join(shlex.quote(path) for path in paths)]
    parts += [f"{GIVEN[role][0]} {role.upper()}" for role in given(details, specs)]
    parts.append("--measures " + shlex.quote(",".join(specs)))
    if settings.get("by"):
        parts.append(f"--by {settings['by']}")
    if "ci" in settings and settings["ci"] is None:
        parts.append("--no-ci")
    parts += [f"--{key} {settings[key]}" for key in ("resamples", "seed") if settings.get(key) is not None]
    if settings.get("chance_draws") is not None:
        parts.append("--chance" if settings["chance_draws"] else "--no-chance")
    return " \\\n    ".join([*parts, "--out REPORT_DIR"])


def python(models: Mapping[str, Sequence[Place]], specs: Sequence[str], details: Row) -> str:
    """The same in Python."""
    roles = given(details, specs)
    lines = ["import tealeaves as tl"]
    lines += ["from tealeaves.readers.vectors import read_vectors"] if "vectors" in roles else []
    lines += ["", *(f'{role} = {GIVEN[role][1]}("{role.upper()}")' for role in roles)]
    lines.append("models = {")
    for name, group in models.items():
        if len(group) == 1:
            lines.append(f"    {_quoted(name)}: {_read(group[0])}")
        else:
            reads = [f"        {_read(place)}" for place in group]
            lines += [f"    {_quoted(name)}: [", *reads, "    ],"]
    lines += ["}", "scores = tl.evaluate(", f"    {_arguments(roles)}", "    measures=["]
    lines += [f"        {_quoted(spec)}," for spec in specs]
    return "\n".join([*lines, f"    ],{_options(details)}", ")", 'scores.report("report.html")'])


def _read(place: Place) -> str:
    told = f"  # {' '.join(place.what.split())}" if place.what else ""
    return f"tl.read_model({_quoted(place.path)}),{told}"


def _arguments(roles: Sequence[str]) -> str:
    said = ["models", *(role if role == "corpus" else f"{role}={role}" for role in roles)]
    return ", ".join(said) + ","


def _options(details: Row) -> str:
    settings = details.get("settings") or {}
    said = {key: settings[key] for key in ("by", "ci", "resamples", "seed") if key in settings}
    if "chance_draws" in settings:
        said["chance"] = settings["chance_draws"]
    return "".join(f" {key}={value!r}," for key, value in said.items())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
