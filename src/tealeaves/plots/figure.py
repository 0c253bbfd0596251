"""A figure: an Altair chart that can be written for a paper, as wide as asked for, in its font, in grey."""

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tealeaves.errors import InputError
from tealeaves.plots import COLOURS, COLUMNS, WIDTH

GREYS = ["#000000", "#6f6f6f", "#3d3d3d", "#8c8c8c", "#565656", "#a3a3a3"]
MM, POINT = 96 / 25.4, 96 / 72  # pixels
NARROW = 0.3  # of the width that panels have: narrower ones cannot be read
PANEL = 170.0  # pixels that a panel needs with its axis
FONT = "Helvetica, Arial, sans-serif"
FORMATS = (".svg", ".pdf", ".png", ".json")
TINTS = {"#cfe4e1": "#dddddd", "#b3430e": "#222222", "#f1f3f2": "#f4f4f4", "#1f62a5": "#777777"}


class Figure:
    """A chart of the library, which a notebook shows and a paper takes.

    Parameters
    ----------
    draw : callable
        Draws the Altair chart with so many panels in a row.

    Attributes
    ----------
    chart : altair chart
        The chart itself, to change by Altair's own means.
    """

    def __init__(self, draw: Callable[[int], Any]) -> None:
        self._draw = draw
        self.chart = draw(COLUMNS)

    def save(
        self,
        path: str | Path,
        width: float | None = None,
        font: str | None = None,
        size: float = 8.0,
        grey: bool = False,
        ppi: int = 300,
    ) -> None:
        """Write the figure; what kind of file is told by its ending: .svg, .pdf, .png or .json (Vega-Lite).

        Parameters
        ----------
        path : str or Path
            The file.
        width : float, optional
            Of the whole figure, in millimetres: 84 is a column of many journals, 174 two. By default, as it
            is drawn.
        font : str, optional
            Of all letters, "Times New Roman" for instance; a program that has it not takes another.
        size : float
            Of the letters, in points. It stays whatever the width is.
        grey : bool
            Without colour: dashes and shapes tell lines apart.
        ppi : int
            Pixels per inch of a .png.

        Raises
        ------
        InputError
            If the ending is another, or the figure cannot be so narrow.
        """
        import vl_convert

        path = Path(path)
        kind = path.suffix.lower()
        if kind not in FORMATS:
            raise InputError(
                f"a figure is written as {', '.join(FORMATS)}; got the ending {kind!r} of {path.name}"
            )
        spec = self.spec(width, font, size, grey)
        if kind == ".json":
            import json

            path.write_text(json.dumps(spec, ensure_ascii=False) + "\n", "utf-8")
            return
        svg = vl_convert.vegalite_to_svg(spec)
        if kind == ".svg":
            path.write_text(_sized(svg, 1 / MM, "mm"), "utf-8")
        elif kind == ".pdf":
            path.write_bytes(vl_convert.svg_to_pdf(_sized(svg, 0.75, "")))  # a pixel is 3/4 of a point
        else:
            path.write_bytes(vl_convert.svg_to_png(svg, scale=0.75, ppi=ppi))

    def spec(
        self, width: float | None = None, font: str | None = None, size: float = 8.0, grey: bool = False
    ) -> dict[str, Any]:
        """The Vega-Lite specification that `save` draws."""
        if width is None:
            spec: dict[str, Any] = _lettered(self.chart.to_dict(), font, size)
        else:
            columns = max(1, min(COLUMNS, int(width * MM / PANEL)))
            chart = self.chart if columns == COLUMNS else self._draw(columns)
            spec = _fitted(_lettered(chart.to_dict(), font, size), width)
        return _greyed(spec) if grey else spec

    def to_dict(self) -> dict[str, Any]:
        """The Vega-Lite specification of the chart as it is shown."""
        found: dict[str, Any] = self.chart.to_dict()
        return found

    def _repr_svg_(self) -> str:
        """What a notebook shows; Altair's own way would fetch a script from elsewhere."""
        import vl_convert

        drawn: str = vl_convert.vegalite_to_svg(self.spec())
        return drawn

    def __repr__(self) -> str:
        return f'<Figure: {type(self.chart).__name__}; .save("figure.pdf", width=84), .chart>'


def _fitted(spec: dict[str, Any], width: float) -> dict[str, Any]:
    """Panels wider or narrower, so that all is as wide as asked for: letters keep their size."""
    import vl_convert

    def drawn(factor: float) -> float:
        found = re.search(r'width="([\d.]+)"', vl_convert.vegalite_to_svg(_scaled(spec, factor)))
        return float(found[1]) if found else float("nan")

    wanted, factor, step = width * MM, 1.0, 0.7
    for _ in range(4):  # letters and legends do not grow with the panels, so it is a line, nearly
        here, there = drawn(factor), drawn(factor * step)
        if abs(here - wanted) < 0.5 or here == there:
            break
        factor = max(factor + (wanted - here) * factor * (1 - step) / (here - there), 0.01)
        step = 0.95
        if factor < NARROW / 3:
            break
    if drawn(factor) > wanted + 2 or factor < NARROW:
        least = drawn(NARROW) / MM
        raise InputError(
            f"this figure cannot be {width:g} mm wide: it needs about {least:.0f} mm, or less to draw"
        )
    fitted: dict[str, Any] = _scaled(spec, factor)
    return fitted


def _scaled(spec: Any, factor: float) -> Any:
    """The widths of panels times a factor; nothing else is changed."""
    if isinstance(spec, list):
        return [_scaled(part, factor) for part in spec]
    if not isinstance(spec, dict):
        return spec
    found = {k: v if k in ("data", "datasets", "config") else _scaled(v, factor) for k, v in spec.items()}
    if "mark" in spec or "layer" in spec:
        wide = spec.get("width", WIDTH if "mark" in spec and "height" in spec else None)
        if isinstance(wide, int | float):
            found["width"] = wide * factor
        elif isinstance(wide, dict) and "step" in wide:
            found["width"] = {**wide, "step": wide["step"] * factor}
    return found


def _lettered(spec: dict[str, Any], font: str | None, size: float) -> dict[str, Any]:
    """All letters of one font, and of the size in points."""
    spec = copy.deepcopy(spec)
    config = spec.setdefault("config", {})
    pixels = round(size * POINT, 2)
    config["font"] = f"{font}, {FONT}" if font else FONT
    for part in ("axis", "legend", "header"):
        config[part] = {**config.get(part, {}), "labelFontSize": pixels, "titleFontSize": pixels}
        config[part] |= {"titleFontWeight": "normal"}
    config["title"] = {**config.get("title", {}), "fontSize": pixels, "subtitleFontSize": pixels}
    config["text"] = {**config.get("text", {}), "fontSize": round(0.9 * pixels, 2)}
    return spec


def _greyed(spec: Any) -> Any:
    """Every colour of ours as a grey of its own."""
    if isinstance(spec, list):
        return [_greyed(part) for part in spec]
    if isinstance(spec, dict):
        return {k: v if k in ("data", "datasets") else _greyed(v) for k, v in spec.items()}
    if isinstance(spec, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", spec):
        return dict(zip(COLOURS, GREYS, strict=True)).get(spec, TINTS.get(spec, _grey(spec)))
    return spec


def _grey(colour: str) -> str:
    r, g, b = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    level = round(0.2126 * r + 0.7152 * g + 0.0722 * b)
    return f"#{level:02x}{level:02x}{level:02x}"


def _sized(svg: str, factor: float, unit: str) -> str:
    """The width and height of a picture in another unit, for layout programs; its inside as it is."""

    def other(found: "re.Match[str]") -> str:
        return f'{found[1]}="{float(found[2]) * factor:.2f}{unit}"'

    head, mark, rest = svg.partition(">")
    return re.sub(r'\b(width|height)="([\d.]+)"', other, head) + mark + rest
