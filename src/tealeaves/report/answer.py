"""The short answer at the head of the report: which model, which topics, how sure, how to repeat it."""

from collections.abc import Sequence

from tealeaves.report.models import ALPHA
from tealeaves.report.people import answer as said_by_people
from tealeaves.report.rows import Row, count_of, fixed, names_of
from tealeaves.verdicts import LABELS, number

SHOULD_REPEAT = (
    "Whether that is more than a lucky start cannot be said from one run a model: fit each five times."
)
NOT_REPEATED = (
    "Each model was fitted once: how much another random start would move these numbers is not known."
)
NAMED = 3  # models at most in one sentence
READ = "Coherence agrees with people's judgement only in part, so read the topics before you decide."
COHERENCE = ("npmi", "c_v", "c_p", "c_a", "uci", "umass", "u_mass", "we_coherence")


def answers(
    table: Row,
    lead: Row,
    opened: Row | None,
    warnings: Sequence[Row],
    over_time: Row | None = None,
    people: Row | None = None,
) -> list[Row]:
    """Return four questions, what there is to say to each, and the section (``to``) with the evidence."""
    if len(table["models"]) > 1 and lead["column"] is not None:
        first = ("Which model is it, and is the difference real?", _which(table, lead), "models")
    else:
        first = ("How good is it?", _how_good(lead, opened), "models")
    second = [("Which topics to trust?", _trust(opened), "topics")] if opened else []
    if over_time:
        second.append(("What do topics do over time?", over_time["answer"], "time"))
    if people:
        second.append(("What do people say?", said_by_people(people), "people"))
    third = ("How sure is this?", [_sure(table, warnings)], "warnings")
    last = ("How to repeat it?", ["The call and the signature of every number are at the end."], "method")
    return [{"asks": asks, "says": says, "to": to} for asks, says, to in (first, *second, third, last)]


def _how_good(lead: Row, opened: Row | None) -> list[str]:
    column = lead["column"]
    if column is None:
        return ["No measure that has a best end is defined here."]
    cell = column["cells"][lead["name"]]
    said = f"{column['title']} ({column['spec']}) is {fixed(cell['value'], column['digits'])}"
    said += f" {cell['range']}." if cell["range"] else "."
    said += _by_chance(column, lead["name"])
    if opened and opened["above"] is not None:
        above, total = opened["above"], len(opened["topics"])
        alone = "Its topic is" if above else "Its topic is not"
        which = f"{above} of its {total} topics are" if total > 1 else alone
        lists = "such lists" if cell["chance"] else "random lists of equally frequent words"
        said += f" {which} clearly above {lists}."
    return [said, "One model: there is nothing to compare it with."]


def _by_chance(column: Row, name: str) -> str:
    """What random lists would get in place of the model, and whether it does better."""
    cell = column["cells"][name]
    if not cell["chance"]:
        return ""
    low, _, high = cell["chance"]
    better = cell["value"] > high if column["best"] == "high" else cell["value"] < low
    lists = "random lists of equally frequent words"
    if better:
        return f" {lists.capitalize()} would get {cell['by_chance']}."
    return f" That is no better than {lists}, which would get {cell['by_chance']}."


def _which(table: Row, lead: Row) -> list[str]:
    column, name = lead["column"], lead["name"]
    value = fixed(column["cells"][name]["value"], column["digits"])
    what = column["title"].lower() if column["title"] != column["spec"] else column["spec"]
    if lead["beaten"] and len(lead["beaten"]) == lead["others"]:
        said = f"In {what}, {name} is better ({value}), and that is real: every corrected p over runs"
        said += " is under 0.05."
    elif lead["others"]:
        end = "highest" if column["best"] == "high" else "lowest"
        said = f"In {what}, {name} has the {end} value ({value})."
    else:
        said = f"In {what}, no model can be compared with {name} ({value}), which has a score for more of"
        said += " its topics than any other."
    said += _by_chance(column, name)
    cells = column["cells"]
    equal = [n for n in lead["tied"] if cells[n]["value"] == cells[name]["value"]]
    if equal:
        said += f" {_some(column, equal)} {'has' if len(equal) == 1 else 'have'} the same."
    alike = [n for n in lead["tied"] if n not in equal]
    if alike:
        said += f" {_some(column, alike)} cannot be told apart from it."
    if lead["open"]:
        said += f" {_some(column, lead['open'])} cannot be ruled out without more runs."
    for n in lead["partial"][:NAMED]:
        some = column["cells"][n]["some"]
        said += f" {_some(column, [n])} is a mean over {some} only and is not compared."
    says = [said] if table["repeated"] >= 2 else [said, SHOULD_REPEAT]
    return [*says, *_elsewhere(table, lead)]


def _elsewhere(table: Row, lead: Row) -> list[str]:
    """Which models are best by other measures, the most frequent first, and whether runs settle any of it."""
    best: dict[str, list[str]] = {}
    settled: list[str] = []
    for c in table["columns"]:
        first = [n for n, x in c["cells"].items() if x["tag"] == "best"]
        if c["best"] and c is not lead["column"] and len(first) == 1 and first[0] != lead["name"]:
            best.setdefault(first[0], []).append(c["title"].lower())
            rivals = [x.get("p") for n, x in c["cells"].items() if n != first[0] and x["value"] is not None]
            if rivals and all(p is not None and p < ALPHA for p in rivals):
                settled.append(c["title"].lower())
    if not best:
        return []
    order = sorted(best.items(), key=lambda item: -len(item[1]))
    parts = [f"{name} in {_listed(titles)}" for name, titles in order[:NAMED]]
    if len(order) > NAMED:
        parts.append(f"{len(order) - NAMED} more models in something else")
    said = f"Best by other measures: {'; '.join(parts)}."
    if table["repeated"] >= 2:
        said += f" Settled over runs: {_listed(settled)}." if settled else " Runs settle none of that."
    return [said]


def _listed(titles: Sequence[str]) -> str:
    more = len(titles) - NAMED
    return names_of([*titles[:NAMED], f"{more} more"] if more > 0 else titles)


def _some(column: Row, names: Sequence[str]) -> str:
    """At most three models with their values, and how many more."""
    shown = [f"{n} ({fixed(column['cells'][n]['value'], column['digits'])})" for n in names[:NAMED]]
    return names_of([*shown, f"{len(names) - NAMED} more"] if len(names) > NAMED else shown)


def _trust(model: Row) -> list[str]:
    counts, total = model["counts"], len(model["topics"])
    says = [model["heading"] + "."]
    for verdict in ("drop", "split", "merge"):
        shown = [t for t in model["topics"] if t["verdict"] == verdict][:2]
        if shown and counts[verdict] <= total / 2:
            named = "; ".join(f"topic {t['id']} ({', '.join(t['words'][:4])} …)" for t in shown)
            says.append(f"{LABELS[verdict]}: {named}" + (" and others." if counts[verdict] > 2 else "."))
    return [" ".join(says)]


def _sure(table: Row, warnings: Sequence[Row]) -> str:
    says = []
    if table["most_runs"] < 2:
        says.append(NOT_REPEATED)
    elif table["smallest_p"] is not None:
        p = number(table["smallest_p"])
        says.append(
            f"With {table['most_runs']} runs a model no corrected p between all models can be under {p}"
            + ("." if table["smallest_p"] < ALPHA else ": more runs are needed to settle a difference.")
        )
    stops = sum(w["level"] == "Stop" for w in warnings)
    serious = f", {stops} of them serious." if stops else "."
    coherent = any(c["name"] in COHERENCE for c in table["columns"])
    read = READ if coherent else "Read the topics before you decide."
    return " ".join([*says, read, count_of(len(warnings), "warning") + serious])
