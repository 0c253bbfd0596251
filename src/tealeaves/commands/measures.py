"""``tealeaves measures``: the table of measures."""

import re

import click

from tealeaves.commands._common import complete_measures, print_json, print_rich, subcommand


@subcommand(
    """
    tealeaves measures
    tealeaves measures npmi
    tealeaves measures "c_npmi(window=50)@10"
    tealeaves measures --json
    """
)
@click.argument("name", required=False, shell_complete=complete_measures)
def command(name: str | None, as_json: bool, quiet: bool) -> None:
    """List the measures and groups; with NAME, explain one: formula, range, best end, source."""
    if name is not None and name in _groups():
        from tealeaves.measures._table import parse_all

        specs = [str(spec) for spec in parse_all(name)]
        return print_json({"group": name, "measures": specs}) if as_json else click.echo("\n".join(specs))
    if name is not None:
        return explain(name, as_json)
    if as_json:
        return print_json({"measures": rows(), "groups": _groups(), "aliases": _aliases()})
    if quiet:
        return click.echo("\n".join(str(row["name"]) for row in rows()))
    return overview()


def rows() -> list[dict[str, object]]:
    """What there is to say of each measure."""
    from tealeaves.measures._table import measures

    return [
        {"name": m.name, "best": m.best, "direction": m.direction, "range": m.range, "needs": list(m.needs),
         "parameters": m.defaults, "source": m.source, "summary": m.summary}
        for m in measures()
    ]  # fmt: skip


def overview() -> None:
    """Print the table, the groups and the other names."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table("measure", "best", "range", "what it is", "source", box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows():
        best = {"high": "higher", "low": "lower"}.get(str(row["best"]), "neither")
        what = re.sub(r"[,;:] (higher|lower) is better\.$", ".", str(row["summary"]))
        cells = (row["name"], best, row["range"], what, row["source"])
        table.add_row(*(Text(str(cell)) for cell in cells))
    print_rich(table)
    click.echo("Groups")
    for name, specs in _groups().items():
        click.echo(f"  {name}: {', '.join(specs)}")
    click.echo("Other names")
    for alias, spec in _aliases().items():
        click.echo(f"  {alias} is {spec}")
    click.echo("\n`tealeaves measures NAME` explains one; @n is the number of top words.")


def explain(name: str, as_json: bool) -> None:
    """Print all there is to know of one measure, as it was spelt."""
    from tealeaves.measures._table import parse

    spec = parse(name)
    measure = spec.measure
    if as_json:
        return print_json(
            {
                "spec": str(spec),
                "name": spec.name,
                "top": spec.top,
                "settings": spec.settings,
                "best": spec.best,
                "direction": measure.direction,
                "range": spec.range,
                "needs": list(measure.needs),
                "choices": {key: list(values) for key, values in measure.choices.items()},
                "source": spec.source,
                "doc": measure.doc,
            }
        )
    click.echo(f"{spec}: {measure.direction}; range {spec.range or 'not bounded'}; source {spec.source}")
    for key, value in spec.settings.items():
        allowed = measure.choices.get(key)
        click.echo(f"  {key}={value!r}" + (f"  (one of {', '.join(map(repr, allowed))})" if allowed else ""))
    click.echo(f"  needs {', '.join(measure.needs)}\n\n{measure.doc}")
    return None


def _groups() -> dict[str, tuple[str, ...]]:
    from tealeaves.measures._table import GROUPS

    return GROUPS


def _aliases() -> dict[str, str]:
    from tealeaves.measures._table import ALIASES, parse

    return {alias: str(parse(alias)).partition("@")[0] for alias in ALIASES}
