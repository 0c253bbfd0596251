"""An experiment that was run: its folder, its table of scores, and what is made from it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.errors import FormatError

if TYPE_CHECKING:
    import polars

    from tealeaves.experiments.tables import Table

PLAN, SPEC, SCORES, MANIFEST = "plan.json", "spec.toml", "scores.parquet", "manifest.json"
VALUES = {  # of a score, as `tealeaves.evaluate` has it
    "measure": "String",
    "level": "String",
    "group": "String",
    "slice": "String",
    "slice_end": "String",
    "topic": "Int64",
    "reference_topic": "String",
    "value": "Float64",
    "low": "Float64",
    "high": "Float64",
    "n_terms": "Int64",
}
SAID = {"reason": "String", "signature": "String"}  # of a score, too, and last in a table
# Of the table of scores: which model, then the columns of scores as `tealeaves.evaluate` has them.
COLUMNS = {
    "corpus": "String",
    "preprocessing": "String",
    "family": "String",
    "k": "Int64",
    "options": "String",
    "seed": "Int64",
    **VALUES,
    "n_topics": "Int64",
    **SAID,
}


@dataclass(frozen=True, eq=False)
class Experiment:
    """The scores of an experiment.

    Attributes
    ----------
    folder : Path
        Where it is kept: ``spec.toml``, ``manifest.json``, ``scores.parquet``, ``tables/``, ``figures/``, and
        ``models/`` as `tealeaves.load_model` reads them.
    frame : polars.DataFrame
        A row for each score: ``corpus``, ``preprocessing``, ``family``, ``k``, ``options``, ``seed`` (null
        where runs are judged together), ``measure``, ``level`` ("model", "topic", "slice" or "window"), then
        as in ``Scores.frame``. What failed is a row with value nan and a ``reason``.
    about : dict
        The manifest: versions, corpora, models; nothing of the machine.
    """

    folder: Path
    frame: "polars.DataFrame"
    about: dict[str, Any] = field(default_factory=dict)

    def table(
        self,
        measures: Sequence[str] | None = None,
        rows: Sequence[str] | None = None,
        columns: Sequence[str] = ("measure",),
        where: Mapping[str, str] | None = None,
    ) -> "Table":
        """A table of means over seeds; ``.to_markdown()``, ``.to_latex()``, ``.to_html()``.

        Parameters
        ----------
        measures : sequence of str, optional
            Which, in this order.
        rows, columns : sequence of str
            What stands where, of "corpus", "preprocessing", "family", "k", "options", "measure", "group".
            What has several values and is not named becomes a row, too: only seeds are averaged.
        where : mapping, optional
            Only these, such as ``{"k": "20"}``.
        """
        from tealeaves.experiments.tables import table

        level = self.about.get("settings", {}).get("ci", 0.95)
        return table(self.frame, measures, rows, columns, where, level)

    def write(self, figures: Sequence[str] = ("svg",)) -> None:
        """Write scores, tables, figures and the manifest to the folder."""
        from tealeaves.experiments.figures import write_figures

        content = parquet(self.frame)
        write_whole(self.folder / SCORES, content)
        tables = self.folder / "tables"
        tables.mkdir(exist_ok=True)
        whole = self.table()
        write_whole(tables / "scores.md", whole.to_markdown() + "\n")
        write_whole(tables / "scores.tex", whole.to_latex() + "\n")
        write_whole(tables / "scores.html", whole.to_html())
        write_figures(self, figures)
        about = self.about | {"scores": hashlib.sha256(content).hexdigest()}
        write_whole(self.folder / MANIFEST, json.dumps(about, indent=1, ensure_ascii=False) + "\n")


def load_experiment(folder: str | Path) -> Experiment:
    """The experiment that was run into a folder.

    Raises
    ------
    FormatError
        If there are no scores in it, or they are not those that were written.
    """
    import io

    import polars

    folder = Path(folder)
    if not folder.exists():
        from tealeaves.folders import missing

        raise missing(folder)
    if not (folder / SCORES).is_file():
        started = (folder / PLAN).is_file()
        what = (
            "has no scores yet: run it to its end"
            if started
            else "is no experiment: it has no scores.parquet"
        )
        raise FormatError(folder, what)
    content = (folder / SCORES).read_bytes()
    try:
        about = json.loads((folder / MANIFEST).read_text("utf-8"))
        whole = about["scores"] == hashlib.sha256(content).hexdigest()
    except (OSError, ValueError, KeyError, TypeError):
        raise FormatError(folder / MANIFEST, "is missing or torn: run the experiment again") from None
    if not whole:
        raise FormatError(folder / SCORES, "is torn or was changed: run the experiment again")
    return Experiment(folder, polars.read_parquet(io.BytesIO(content)), about)


def status(folder: str | Path) -> dict[str, Any]:
    """How far an experiment is: models made, failed and left, scores, bytes on disk, seconds that are left.

    Raises
    ------
    FormatError
        If the folder is no experiment's.
    """
    from tealeaves.experiments.cells import kept_scores

    folder = Path(folder)
    if not folder.exists():
        from tealeaves.folders import missing

        raise missing(folder)
    try:
        plan = json.loads((folder / PLAN).read_text("utf-8"))
        cells, scores, workers = plan["cells"], plan["scores"], int(plan["workers"])
    except FileNotFoundError:
        raise FormatError(folder, f"is no experiment: it has no {PLAN}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(folder / PLAN, f"is not whole: {error}") from None
    made: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys(str(cell["model"]) for cell in cells):
        try:
            made[name] = json.loads((folder / "models" / f"{name}.json").read_text("ascii"))
        except (OSError, ValueError):
            continue
    failed = [
        {**cell, "reason": made[cell["model"]]["reason"]}
        for cell in cells
        if made.get(cell["model"], {}).get("reason")
    ]
    models = len({cell["model"] for cell in cells})
    there = set(kept_scores(folder / "scores")[0]["key"])
    mean = sum(one["seconds"] for one in made.values()) / max(len(made), 1)
    left = models - len(made)
    return {
        "title": plan["title"],
        "models": models,
        "made": len(made) - len({cell["model"] for cell in failed}),
        "failed": failed,
        "left": left,
        "seconds_left": mean * left / max(min(workers, left), 1) if made else None,
        "scores": sum(key in there for key, _ in scores),
        "scores_planned": len(scores),
        "bytes": sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()),
        "finished": (folder / SCORES).is_file() and not left and there.issuperset(key for key, _ in scores),
    }


def parquet(frame: "polars.DataFrame") -> bytes:
    """A table as Parquet has it."""
    import io

    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all; one that says the same already is left alone."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == data:
        return
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(data)
    part.replace(path)
