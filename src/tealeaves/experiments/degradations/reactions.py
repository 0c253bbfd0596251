"""How measures react to models made worse: each has a verdict, and a least strength that it noticed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.experiments.degradations.claims import CLAIMS

if TYPE_CHECKING:
    import polars

Floats = NDArray[np.float64]
NOTICED = 2.0  # standard deviations over fits with other seeds
DETECTS, WRONG, UNSTEADY, BLIND, UNDEFINED = "detects", "wrong way", "not steady", "blind", "undefined"


def reactions_of(
    values: "polars.DataFrame", specs: Sequence[str], asked: Sequence[str]
) -> "polars.DataFrame":
    """A row for each measure and degradation, as ``Degradations.reactions`` has them."""
    import polars

    from tealeaves.measures._table import parse

    rows = []
    for spec in specs:
        best = parse(spec).measure.best
        mine = values.filter(values["measure"] == spec).with_columns(value=turned(best))
        start = mine.filter(mine["strength"] == 0)["value"].to_numpy()
        for name in asked:
            of_name = mine.filter(mine["degradation"] == name)
            rows.append({"measure": spec, "degradation": name, **reaction(start, of_name)})
            rows[-1]["claimed"] = name in CLAIMS.get(spec, ())
    return polars.DataFrame(rows)


def turned(best: str | None) -> "polars.Expr":
    """The scores so that the higher is the better; where neither end is best, the nearer to 0."""
    import polars

    value = polars.col("value")
    return value if best == "high" else -value if best == "low" else -value.abs()


def reaction(start: Floats, worse: "polars.DataFrame") -> dict[str, Any]:
    """How a measure reacts; ``start`` are the scores of undamaged fits, first of that made worse.

    Scores are turned so that the higher is the better.
    """
    from tealeaves.stats import correlate

    worse = worse.filter(worse["value"].is_not_nan())
    strength, value = worse["strength"].to_numpy(), worse["value"].to_numpy()
    nothing: dict[str, Any] = {"rho": float("nan"), "change": float("nan"), "noticed": None}
    if np.isnan(start).any() or not len(value):
        return {**nothing, "verdict": UNDEFINED}
    luck = max(float(start.std(ddof=1)), 1e-9 * max(1.0, float(np.abs(start).max())))
    x, y = np.concatenate([[0.0], strength]), np.concatenate([start[:1], value])
    rho = correlate(x, y, resamples=1).value if np.ptp(y) > 0 else 0.0
    levels = np.unique(strength)
    at = [value[strength == s] - start[0] for s in levels]
    changes = np.array([x.mean() / luck for x in at])
    # nor is what differs from draw to draw noticed: which topic is left of all, say
    error = np.array([x.std(ddof=1) / len(x) ** 0.5 / luck if len(x) > 1 else 0.0 for x in at])
    last, beyond = float(changes[-1]), np.abs(changes) > NOTICED * np.maximum(error, 1.0)
    if not beyond.any():
        return {"rho": float(rho), "change": last, "noticed": None, "verdict": BLIND}
    if not beyond[-1]:  # to call it blind would hide which way it went before
        most = int(np.argmax(np.where(beyond, np.abs(changes), 0.0)))
        found = {"change": float(changes[most]), "noticed": float(levels[most])}
        return {"rho": float(rho), **found, "verdict": UNSTEADY}
    beyond &= np.sign(changes) == np.sign(last)
    first = 0 if beyond.all() else len(beyond) - int(np.argmin(beyond[::-1]))
    verdict = DETECTS if last < 0 else WRONG
    return {"rho": float(rho), "change": last, "noticed": float(levels[first]), "verdict": verdict}
