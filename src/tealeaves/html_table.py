"""Tables of HTML for notebooks."""

from collections.abc import Iterable, Sequence
from html import escape


def html_table(caption: str, rows: Iterable[Sequence[object]], head: Sequence[str] = ()) -> str:
    """A table whose first cell of each row names it.

    Examples
    --------
    >>> html_table("a < b", [("tokens", 12)])
    '<table><caption>a &lt; b</caption><tr><th>tokens</th><td>12</td></tr></table>'
    """
    heads = "".join(f"<th>{escape(text)}</th>" for text in head)
    lines = [f"<tr>{heads}</tr>"] if heads else []
    for name, *cells in rows:
        row = "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
        lines.append(f"<tr><th>{escape(str(name))}</th>{row}</tr>")
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>"
