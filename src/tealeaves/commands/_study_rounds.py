"""``tealeaves study rounds``: agreement after each round of topic pairs, and the next pairs."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import FILE, check_exists, note, print_json, seed_option, subcommand
from tealeaves.commands._study_common import DATABASE
from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.human.rounds import Round
    from tealeaves.matcher_pairs import TopicPair


@subcommand(
    """
    tealeaves study rounds pilot calibration
    tealeaves study rounds pilot calibration --pool pairs.json --out test.json
    tealeaves study rounds --pool pairs.json --out pilot.json
    """,
    name="rounds",
)
@click.argument("rounds", metavar="[ROUND]...", type=FILE, nargs=-1)
@click.option(
    "--pool", metavar="FILE", type=FILE, help="Pairs of `matcher sample` to choose the next round from."
)
@click.option(
    "-n", "n", metavar="N", type=click.IntRange(min=1), help="Pairs of the next round. [15, 50, 50, 250]"
)
@click.option("--out", metavar="FILE", type=FILE, help="Where the pairs of the next round go: .json or .csv.")
@click.option(
    "--worst", type=click.IntRange(min=0), default=5, show_default=True, help="Disagreements to list."
)
@click.option(
    "--same-raters", is_flag=True, help="Raters of one name are one person in all ROUNDs. [others in each]"
)
@DATABASE
@seed_option
def rounds(
    rounds: tuple[Path, ...],
    pool: Path | None,
    n: int | None,
    out: Path | None,
    worst: int,
    same_raters: bool,
    database: str | None,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Lead through rounds of topic pairs: agreement after each ROUND, what to talk about, the next pairs.

    A ROUND is a study of topic pairs, or pairs with labels of `tealeaves matcher`. The rounds are those of
    Korenčić et al. 2021: 15 pairs to make the instructions clear, 50 to calibrate, 50 to test, 250 more.
    From the third on the next pairs are those that a matcher, trained on the labels, is least sure of.
    """
    import numpy as np

    from tealeaves.human.rounds import judge, next_size

    for path in (*rounds, pool):
        check_exists(path)
    if (out is None) != (pool is None):
        raise InputError("the next pairs need both: --pool, where they are from, and --out, where they go")
    if not rounds and pool is None:
        raise InputError("name the rounds there were, or a --pool to draw the first round from")
    if out is not None and out.suffix.lower() not in (".json", ".csv"):
        raise InputError(f"{out}: must end in .json or .csv")
    found: list[Round] = []
    judged: list[TopicPair] = []
    told: list[dict[str, np.ndarray[Any, Any]]] = []
    for path in rounds:
        pairs, labels = _round(path, database)
        matrix = np.array(list(labels.values())) if labels else np.empty((0, len(pairs)))
        found.append(judge(path.resolve().name, matrix, list(labels), worst))
        judged += pairs
        told.append(labels)
    name, size = next_size(len(rounds))
    chosen = 0
    if pool is not None and out is not None:
        chosen = _draw(
            pool, out, judged, told, [one.pairs for one in found], n or size, seed, same_raters, quiet
        )
    if as_json:
        of = [{**vars(one), "worst": [vars(bad) for bad in one.worst]} for one in found]
        after = {"name": name, "pairs": chosen, "out": None if out is None else str(out)}
        print_json({"rounds": of, "next": after})
        return
    at = 0
    for one in found:
        _say_round(one, judged[at : at + one.pairs], quiet)
        at += one.pairs
    if out is not None:
        click.echo(f"{out}: {chosen} pairs of the next round ({name})")
        if not quiet:
            click.echo(f"Next: tealeaves study create {name} --task topic_pair_matching --pairs {out}")


def _draw(
    pool: Path,
    out: Path,
    judged: "list[TopicPair]",
    told: list[dict[str, Any]],
    sizes: list[int],
    n: int,
    seed: int,
    same_raters: bool,
    quiet: bool,
) -> int:
    """Write the pairs of the next round; how many they are."""
    from tealeaves.human.rounds import merged, next_pairs
    from tealeaves.matcher_files import read_pairs
    from tealeaves.matcher_pairs import TopicPairs

    drawn = read_pairs(pool)
    if judged:
        chosen = next_pairs(drawn, judged, merged(told, sizes, same_raters=same_raters), n, seed)
    else:
        chosen = TopicPairs(next_pairs(drawn, n=n), notes=drawn.notes)
    chosen.save(out)
    for text in chosen.notes:
        note(text, quiet)
    return len(chosen)


def _say_round(one: "Round", pairs: "list[TopicPair]", quiet: bool) -> None:
    """What came of a round, and which pairs to talk about."""
    click.echo(f"{one.name}: {one.complete} of {one.pairs} pairs judged by all {one.raters} raters")
    if one.reason:
        click.echo(f"  agreement: none, {one.reason}")
    else:
        among = f"; F1 of one rater against the others {one.human_f1:.3f}"
        f1 = "" if math.isnan(one.human_f1) else among
        click.echo(f"  alpha: nominal {one.alpha_nominal:.3f}, ordinal {one.alpha_ordinal:.3f}{f1}")
    for bad in () if quiet else one.worst:
        said = ", ".join(f"{rater} {label:g}" for rater, label in bad.labels.items())
        click.echo(f"  talk about pair {bad.index} ({said}):")
        for topic in (pairs[bad.index].first, pairs[bad.index].second):
            click.echo(f"    {' '.join(topic.words[:10])}")


def _round(path: Path, database: str | None) -> "tuple[list[TopicPair], dict[str, Any]]":
    """The pairs of a round, and by rater the label of each; nan where there is none."""
    import numpy as np

    from tealeaves.matcher_files import read_pairs

    if path.is_file():
        pairs = read_pairs(path)
        if pairs.labels is None:
            raise InputError(f"{path}: these pairs have no labels yet")
        return list(pairs), {f"rater {r + 1}": row for r, row in enumerate(pairs.labels)}
    import time

    from tealeaves.human.app.organiser_answers import judged, kept
    from tealeaves.human.app.organiser_data import load, opened
    from tealeaves.human.rounds import pair_of

    with opened(path, database) as (study, store):
        if study.task != "topic_pair_matching":
            raise InputError(f"{path}: is a study of {study.task}, but rounds are of topic_pair_matching")
        data = load(study, store, time.time())
        place = {item.id: i for i, item in enumerate(data.counting)}
        labels: dict[str, Any] = {}
        for row in kept(data, judged(data)):
            if row["item"] in place:
                mine = labels.setdefault(row["rater"], np.full(len(place), np.nan))
                mine[place[row["item"]]] = row["value"]["label"]
        return [pair_of(item) for item in data.counting], dict(sorted(labels.items()))
