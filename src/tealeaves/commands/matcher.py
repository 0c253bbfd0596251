"""``tealeaves matcher``: sample, train, apply."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.cli import Commands
from tealeaves.commands._common import (
    FILE,
    check_exists,
    note,
    print_json,
    read_models,
    read_words,
    seed_option,
    subcommand,
)
from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.matcher_pairs import TopicPairs
    from tealeaves.reference_topics import ReferenceTopics

FOUND = ("model", "reference_topic", "label", "topic", "probability", "match")


@click.group("matcher", cls=Commands)
def command() -> None:
    """Learn from people which topics are the same: draw pairs, train, apply.

    1. `sample` draws pairs of topics, near and far ones alike, and writes a sheet for each person to fill in.

    2. `train` learns from the sheets and says how good it is, and how well the people agree.

    3. `apply` names the reference topics that models find; `tealeaves evaluate --matcher` measures it.
    """


@subcommand(
    """
    tealeaves matcher sample lda-50 lda-200 nmf-100 --reference-topics themes.csv -n 300 --out pairs.json
    tealeaves matcher sample lda-50 nmf-100 -n 50 --out pairs.json --sheet ana.csv --sheet ben.csv
    tealeaves matcher sample lda-50 nmf-100 -n 50 --matcher matcher.json --except pairs.json --out next.json
    """,
    name="sample",
)
@click.argument("models", metavar="MODEL...", type=FILE, nargs=-1, required=True)
@click.option(
    "--reference-topics", "reference", metavar="PATH", type=FILE, help="Reference topics, drawn thrice."
)
@click.option(
    "-n", "n", metavar="N", type=click.IntRange(min=1), default=300, show_default=True, help="Pairs."
)
@click.option("--out", metavar="FILE", type=FILE, required=True, help="All about the pairs: .json or .csv.")
@click.option(
    "--sheet",
    "sheets",
    metavar="FILE",
    type=FILE,
    multiple=True,
    help="CSV for a person to fill in (label: 1, 0.5, 0), blind to models and distances. Repeat it.",
)
@click.option(
    "--matcher", metavar="FILE", type=FILE, help="Take the pairs that this matcher is least sure of."
)
@click.option("--except", "known", metavar="FILE", type=FILE, multiple=True, help="Pairs not to draw again.")
@click.option("--vocabulary", metavar="PATH", type=FILE, help="Words of models that are bare matrices.")
@click.option("--trust", is_flag=True, help="Open files that can run code (pickles).")
@seed_option
def sample(
    models: tuple[Path, ...],
    reference: Path | None,
    n: int,
    out: Path,
    sheets: tuple[Path, ...],
    matcher: Path | None,
    known: tuple[Path, ...],
    vocabulary: Path | None,
    trust: bool,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Draw pairs of topics of MODELs for people to judge, as many near ones as far ones."""
    from tealeaves.matcher import Matcher
    from tealeaves.matcher_files import read_pairs
    from tealeaves.matcher_pairs import TopicPairs

    for path in (*models, reference, matcher, *known, vocabulary):
        check_exists(path)
    if out.suffix.lower() not in (".json", ".csv"):
        raise InputError(f"{out}: must end in .json or .csv")
    for path in sheets:  # people's work lies there
        if path.exists():
            raise InputError(f"{path}: is there already and may hold labels; name another sheet")
    read = read_models(models, trust=trust, vocabulary=None if vocabulary is None else read_words(vocabulary))
    judge = None if matcher is None else Matcher.load(matcher)
    taken = {_key(pair) for path in known for pair in read_pairs(path)}
    pool = n + len(taken) if judge is None else 20 * n + len(taken)
    pairs = Matcher.sample(read, pool, seed, _reference(reference))
    left = TopicPairs([pair for pair in pairs if _key(pair) not in taken], notes=pairs.notes)
    chosen = left[:n] if judge is None else judge.propose(left, n)
    if not len(chosen):
        raise InputError("every pair there is was drawn before (--except)")
    chosen.save(out)
    for path in sheets:
        chosen.save_sheet(path)
    for text in chosen.notes:
        note(text, quiet)
    if as_json:
        bins = _bins(chosen)
        print_json(
            {"pairs": len(chosen), "out": str(out), "sheets": [str(path) for path in sheets], "bins": bins,
             "features": list(chosen.feature_names), "notes": list(chosen.notes)}
        )  # fmt: skip
    elif not quiet:
        click.echo(f"{out}: {len(chosen)} pairs, {len(chosen.feature_names)} features")
        for x, count in enumerate(_bins(chosen)):
            click.echo(f"cosine distance {x / 10:.1f} to {(x + 1) / 10:.1f}: {count}")


@subcommand(
    """
    tealeaves matcher train pairs.json --labels ana.csv --labels ben.csv --labels eva.csv --out matcher.json
    tealeaves matcher train pairs.json --labels labels.csv --no-compare --words-only --out matcher.json
    tealeaves matcher train news_pairs.jsonl --list-weights rank
    """,
    name="train",
)
@click.argument("pairs", metavar="PAIRS", type=FILE)
@click.option(
    "--labels",
    metavar="FILE",
    type=FILE,
    multiple=True,
    help="CSV with pair and label, or label_… columns, or rater; or a JSON list. Repeat it for each person.",
)
@click.option("--out", metavar="FILE", type=FILE, help="Where the matcher is saved, as JSON.")
@click.option(
    "--threshold", type=click.FloatRange(0, 1), default=0.75, show_default=True, help="Mean label of a match."
)
@click.option(
    "--compare/--no-compare", default=True, show_default=True, help="Try three other classifiers (minutes)."
)
@click.option("--words-only", is_flag=True, help="Leave documents out: the matcher then needs none.")
@click.option(
    "--list-weights",
    type=click.Choice(["equal", "rank"]),
    default="equal",
    show_default=True,
    help="Of words in a .jsonl of pairs of lists: 1, or 1 / rank.",
)
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes to use.")
@seed_option
def train(
    pairs: Path,
    labels: tuple[Path, ...],
    out: Path | None,
    threshold: float,
    compare: bool,
    words_only: bool,
    list_weights: str,
    workers: int,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Learn from the labels of PAIRS which topics are the same; say how well, beside how well people agree.

    PAIRS is what `sample` wrote, or JSON lines of pairs of lists with labels:
    {"topics": [{"words": [...], "docs": [...]}, {...}], "labels": [1, 0.5, 1]}.
    """
    from tealeaves.matcher import Matcher
    from tealeaves.matcher_files import read_labels, read_pairs
    from tealeaves.terminal import progress

    for path in (pairs, *labels):
        check_exists(path)
    if out is not None and not out.absolute().parent.is_dir():
        raise InputError(f"{out}: there is no folder {out.parent} to write into")
    read = read_pairs(pairs, list_weights=list_weights)
    with progress("Training", quiet=quiet) as advance:
        matcher = Matcher.train(
            read,
            read_labels(labels, len(read)) if labels else None,
            seed,
            threshold=threshold,
            compare=compare,
            documents=False if words_only else None,
            workers=workers,
            progress=lambda done, total: advance("Training", done, total),
        )
    if out is not None:
        matcher.save(out)
    if as_json:
        kept = {name: vars(one) for name, one in matcher.classifiers.items()}
        print_json({"report": matcher.report, "classifiers": kept, "notes": list(matcher.notes)})
    else:
        click.echo(str(matcher))
        if out is not None:
            note(f"written to {out}", quiet)


@subcommand(
    """
    tealeaves matcher apply lda-50 nmf-100 --reference-topics themes.csv --matcher matcher.json
    tealeaves matcher apply lda-50 --reference-topics themes.csv --matcher matcher.json --out found.csv
    """,
    name="apply",
)
@click.argument("models", metavar="MODEL...", type=FILE, nargs=-1, required=True)
@click.option(
    "--reference-topics", "reference", metavar="PATH", type=FILE, required=True, help="What to look for."
)
@click.option("--matcher", metavar="FILE", type=FILE, required=True, help="What `train` saved.")
@click.option(
    "--out", metavar="FILE", type=FILE, help="CSV of every match, and of the nearest where is none."
)
@click.option("--vocabulary", metavar="PATH", type=FILE, help="Words of models that are bare matrices.")
@click.option("--trust", is_flag=True, help="Open files that can run code (pickles).")
def apply(
    models: tuple[Path, ...],
    reference: Path,
    matcher: Path,
    out: Path | None,
    vocabulary: Path | None,
    trust: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say which reference topics the MODELs find, by which of their topics."""
    import numpy as np

    from tealeaves.matcher import Matcher

    for path in (*models, reference, matcher, vocabulary):
        check_exists(path)
    judge = Matcher.load(matcher)
    wanted = _reference(reference)
    if wanted is None or not len(wanted):
        raise InputError(f"{reference}: holds no reference topics")
    read = read_models(models, trust=trust, vocabulary=None if vocabulary is None else read_words(vocabulary))
    if judge.words_only:
        note("this matcher looks at words alone, not at documents", quiet)
    rows: list[dict[str, Any]] = []
    summary: list[dict[str, Any]] = []
    for name, model in read.items():
        p = judge.probabilities(wanted, model)
        found = judge.matches(wanted, model)
        for r, label in enumerate(wanted.labels):
            ks = [int(k) for k in (-p[r]).argsort(kind="stable") if found[r, k]] or [int(p[r].argmax())]
            rows += [
                dict(zip(FOUND, (name, r, label, k, float(p[r, k]), bool(found[r, k])), strict=True))
                for k in ks
            ]
        covered = np.asarray(found.any(axis=1))
        summary.append(
            {
                "model": name,
                "sup_cov": float(covered.mean()),
                "precision": float(found.any(axis=0).mean()),
                "missing": [
                    label for label, one in zip(wanted.labels, covered.tolist(), strict=True) if not one
                ],
            }
        )
    if out is not None:
        with out.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, FOUND)
            table.writeheader()
            table.writerows(rows)
    if as_json:
        print_json({"models": summary, "topics": rows, "matcher": judge.fingerprint})
        return
    for one in summary:
        n = len(wanted) - len(one["missing"])
        click.echo(
            f"{one['model']}: {n} of {len(wanted)} reference topics found ({one['sup_cov']:.3f}); "
            f"{one['precision']:.1%} of its topics match one"
        )
        if not quiet:
            for row in rows:
                if row["model"] == one["model"]:
                    sign = "=" if row["match"] else "?"
                    click.echo(
                        f"  {sign} {row['label']}: topic {row['topic']} (p = {row['probability']:.2f})"
                    )


for made in (sample, train, apply):
    command.add_command(made)


def _reference(path: Path | None) -> "ReferenceTopics | None":
    if path is None:
        return None
    from tealeaves.reference_topics import read_reference_topics

    return read_reference_topics(path)


def _key(pair: Any) -> frozenset[tuple[str, int]]:
    """By which a pair is known again, whichever of both stands first."""
    return frozenset((topic.model, topic.topic) for topic in (pair.first, pair.second))


def _bins(pairs: "TopicPairs") -> list[int]:
    from tealeaves.topic_pairs import BINS, distance_bins

    bins = distance_bins([pair.cosine_distance for pair in pairs]).tolist()
    return [bins.count(x) for x in range(BINS)]
