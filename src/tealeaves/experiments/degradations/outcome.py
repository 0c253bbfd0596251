"""What degraded models scored, as tables and as a figure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.experiments.degradations.reactions import BLIND, DETECTS, UNDEFINED, UNSTEADY, WRONG

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class Degradations:
    """What degraded models scored.

    Attributes
    ----------
    values : polars.DataFrame
        A row for each ``degradation``, ``strength`` (0: the models as they were, a draw each), ``draw`` and
        ``measure``: ``value`` and ``reason``.
    reactions : polars.DataFrame
        A row for each measure and degradation: ``rho``, Spearman's correlation of strength and score, turned
        so that a score that gets worse is negative; ``change`` at the full strength from the fit that was
        degraded, in standard deviations over fits, turned likewise; ``noticed``, the least strength from
        which on the change is larger than two of them and, with several draws, than two standard errors over
        draws; ``verdict`` ("detects", "wrong way", "not steady", "blind", "undefined"); ``claimed``, whether
        it stands in ``CLAIMS``. What is not steady moves so far at less strength, but not at the full one:
        there ``change`` is the largest such, and ``noticed`` its strength.
    about : dict
        Model, corpus, draws, fits and seed.
    """

    values: "polars.DataFrame"
    reactions: "polars.DataFrame"
    about: dict[str, Any]

    def table(self) -> "polars.DataFrame":
        """Measures by degradations: the verdict, and for what is detected the least strength noticed."""
        import polars

        rows: dict[str, dict[str, str]] = {}
        for row in self.reactions.iter_rows(named=True):
            text = row["verdict"]
            if text == DETECTS:
                text = f"{row['noticed']:g}"
            elif text == WRONG:
                text = f"wrong way ({row['noticed']:g})"
            elif text == UNSTEADY:
                text += f" ({'better' if row['change'] > 0 else 'worse'} at {row['noticed']:g})"
            rows.setdefault(row["measure"], {"measure": row["measure"]})[row["degradation"]] = text
        return polars.DataFrame(list(rows.values()))

    def to_markdown(self) -> str:
        """The table as Markdown."""
        frame = self.table()
        lines = [f"| {' | '.join(frame.columns)} |", "|" + " --- |" * len(frame.columns)]
        lines += [f"| {' | '.join(str(x) for x in row)} |" for row in frame.iter_rows()]
        return "\n".join(lines) + "\n"

    def chart(self) -> Any:
        """Measures by degradations as cells: colour for the verdict, and the least strength noticed."""
        return chart(self.reactions)

    def save(self, folder: str | Path, name: str = "degradations") -> None:
        """Write NAME.csv (reactions), NAME-values.csv, NAME.md and NAME.svg."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        self.reactions.write_csv(place / f"{name}.csv")
        self.values.write_csv(place / f"{name}-values.csv")
        (place / f"{name}.md").write_text(self.to_markdown(), "utf-8")
        self.chart().save(str(place / f"{name}.svg"))


def _better(row: Mapping[str, Any]) -> bool:
    """Whether worse topics score better where it was noticed."""
    return row["verdict"] in (WRONG, UNSTEADY) and row["change"] > 0


def chart(reactions: "polars.DataFrame") -> Any:
    """Measures by degradations: colour for the verdict, the least strength noticed; claims are framed."""
    import altair as alt

    from tealeaves.plots import INK, theme

    colours = {DETECTS: "#9fd0c8", WRONG: "#f2b27a", UNSTEADY: "#f6dfa4"}
    colours |= {BLIND: "#eef2f1", UNDEFINED: "#ffffff"}
    cells = [
        {
            "measure": row["measure"],
            "degradation": row["degradation"],
            "verdict": row["verdict"],
            "text": "" if row["noticed"] is None else f"{row['noticed']:g}" + ("!" if _better(row) else ""),
            "claimed": row["claimed"],
        }
        for row in reactions.iter_rows(named=True)
    ]
    order = {key: list(dict.fromkeys(cell[key] for cell in cells)) for key in ("measure", "degradation")}
    y = alt.Y("measure:N", title=None, sort=order["measure"])
    x = alt.X("degradation:N", title=None, sort=order["degradation"]).axis(orient="top", labelAngle=-30)
    base = alt.Chart(alt.InlineData(values=cells)).encode(x=x, y=y)
    boxes = base.mark_rect(stroke="white").encode(
        color=alt.Color("verdict:N", title=None).scale(domain=list(colours), range=list(colours.values()))
    )
    words = base.mark_text(fontSize=9, color=INK).encode(text="text:N")
    claims = base.transform_filter("datum.claimed").mark_rect(filled=False, stroke=INK, strokeWidth=1)
    drawn = alt.layer(boxes, claims, words).properties(width=alt.Step(76), height=alt.Step(15))
    return theme(drawn)
