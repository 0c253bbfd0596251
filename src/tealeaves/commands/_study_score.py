"""``tealeaves study score``: scores of studies, exports and files of answers."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import (
    FILE,
    check_exists,
    note,
    print_json,
    print_markdown,
    seed_option,
    subcommand,
    write_text,
)
from tealeaves.commands._study_common import DATABASE
from tealeaves.errors import InputError, TealeavesError

if TYPE_CHECKING:
    import polars

    from tealeaves.human.answers import Answers
    from tealeaves.human.relate import Relations
    from tealeaves.human.scoring import Result
    from tealeaves.scores import Scores
    from tealeaves.stats.regression import Explained

TABLES = ("models", "topics", "items", "raters", "agreement", "differences", "apart", "positions")


@subcommand(
    """
    tealeaves study score oil
    tealeaves study score oil --scores scores/ --out results
    tealeaves study score oil-export
    tealeaves study score answers.csv --items items.jsonl --json
    tealeaves study score oil --model-rater llm.jsonl
    """,
    name="score",
)
@click.argument("sources", metavar="STUDY|EXPORT|ANSWERS...", type=FILE, nargs=-1, required=True)
@click.option(
    "--items", metavar="FILE", type=FILE, multiple=True, help="Items of ANSWERS, with keys. Repeat it."
)
@click.option(
    "--format", metavar="NAME", help="Of ANSWERS, where it cannot be told: qualtrics, oolong, hoyle, …"
)
@click.option(
    "--model-rater", metavar="FILE", type=FILE, multiple=True, help="Answers of a model to prompts."
)
@click.option(
    "--scores",
    metavar="FOLDER",
    type=FILE,
    help="Scores of `evaluate`: how they go along with people's. [the study's own]",
)
@click.option(
    "--invalid",
    type=click.Choice(["error", "wrong", "missing"]),
    default="error",
    show_default=True,
    help="What answers of a model are that are no option.",
)
@click.option("--all-raters", is_flag=True, help="Do not leave out raters by the study's rules.")
@click.option(
    "--resamples", type=click.IntRange(min=100), default=2000, show_default=True, help="Of raters and topics."
)
@click.option("--out", metavar="FOLDER", type=FILE, help="All tables as CSV, and result.json.")
@DATABASE
@seed_option
def score(
    sources: tuple[Path, ...],
    items: tuple[Path, ...],
    format: str | None,
    model_rater: tuple[Path, ...],
    invalid: str,
    scores: Path | None,
    all_raters: bool,
    resamples: int,
    out: Path | None,
    database: str | None,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Score what people said, with intervals over raters and topics; of studies, or of files of answers."""
    from tealeaves.human.scoring import score as scored

    for path in (*sources, *items, *model_rater, scores):
        check_exists(path)
    if out is not None and out.is_file():
        raise InputError(f"{out}: is a file, but the tables need a folder")
    answers, notes = _answers(sources, items, format, model_rater, invalid, database, all_raters)
    automatic = _automatic(scores, sources, notes)
    from tealeaves.terminal import progress

    with progress("Scoring", quiet=quiet):
        result = scored(answers, resamples=resamples, seed=seed)
        relations, over_models = _related(automatic, result, resamples, seed, notes, given=scores is not None)
    if out is not None:
        _save(result, relations, over_models, automatic, out)
    for text in (*notes, *result.notes, *(relations.notes if relations is not None else ())):
        note(text, quiet)
    if as_json:
        tables = {**_tables(result), **_tables_of(relations, over_models)}
        print_json(
            {**{name: frame.to_dicts() for name, frame in tables.items()}, "notes": [*notes, *result.notes]}
        )
        return
    print_markdown(result.to_markdown())
    if not quiet:
        _say_more(result)
    if relations is not None:
        _say_relations(relations, over_models)
    if out is not None:
        note(f"written to {out}", quiet)


def _automatic(given: Path | None, sources: Iterable[Path], notes: list[str]) -> "Scores | None":
    """The scores that are named, or those that the one study keeps; a note, where these cannot be read."""
    from tealeaves.human.measured import kept_scores
    from tealeaves.human.study import Study
    from tealeaves.scores import load_scores

    if given is not None:
        return load_scores(given)
    studies = [path for path in sources if (path / "study.json").is_file()]
    if len(studies) != 1:
        return None
    study = Study.open(studies[0])
    try:
        return kept_scores(study)
    except TealeavesError as error:
        kept = "the scores that the study keeps cannot be read, and nothing is set beside people's"
        notes.append(f"{kept}: {error}; `study change {studies[0]} --scores FOLDER` takes others")
        return None


def _related(
    automatic: "Scores | None", result: "Result", resamples: int, seed: int, notes: list[str], *, given: bool
) -> "tuple[Relations | None, dict[str, Explained]]":
    """How measures go along with people, over topics; and over models, where there are five or more."""
    from tealeaves.human.relate import relate, relate_models

    if automatic is None:
        return None, {}
    try:
        relations = relate(automatic, result, resamples=resamples, seed=seed)
    except InputError as error:
        if given:
            raise
        notes.append(f"the scores that the study keeps are not set beside people's: {error}")
        return None, {}
    models = automatic.frame.filter(automatic.frame["level"] == "model")["model"].unique().to_list()
    enough = [
        human
        for human in dict.fromkeys(result.models["measure"])
        if len(set(models) & set(result.models.filter(result.models["measure"] == human)["model"])) >= 5
    ]
    return relations, {human: relate_models(automatic, result, human, resamples, seed) for human in enough}


def _say_more(result: "Result") -> None:
    """Agreement, raters scored apart, and differences of models, a line each."""
    for row in result.agreement.to_dicts():
        value = f"– ({row['reason']})" if math.isnan(row["value"]) else f"{row['value']:.3f}"
        click.echo(f"{row['coefficient']}, {row['coding']}, {row['level']}: {value}")
    for row in result.apart.to_dicts():
        click.echo(
            f"{row['rater']} beside people, {row['measure']} of {row['model']}: {row['value']:.2f}, "
            f"people's of the same {row['people']:.2f}, difference {row['difference']:.2f} {_ends(row)}"
        )
    for row in result.differences.to_dicts():
        p = f"p = {row['p_holm']:.2g} by Holm"
        click.echo(f"{row['measure']}: {row['a']} less {row['b']}: {row['difference']:.2f} {_ends(row)}, {p}")


def _ends(row: dict[str, Any]) -> str:
    """An interval, as text."""
    return "(no interval)" if math.isnan(row["low"]) else f"[{row['low']:.2f}, {row['high']:.2f}]"


def _say_relations(relations: "Relations", over_models: "dict[str, Explained]") -> None:
    """Spearman's and Pearson's correlations and r² over topics, a table each; then r² over models."""
    names = {"spearman": "Spearman's correlation", "pearson": "Pearson's correlation", "r2": "r²"}
    for method, name in names.items():
        print_markdown(f"\n{name} with people's scores, over topics:\n\n{relations.to_markdown(method)}")
    for human, explained in over_models.items():
        print_markdown(f"\nr² with people's {human}, over models:\n\n{explained.to_markdown(3)}")


def _answers(
    sources: Iterable[Path],
    items: tuple[Path, ...],
    format: str | None,
    model_rater: Iterable[Path],
    invalid: str,
    database: str | None,
    all_raters: bool,
) -> "tuple[Answers, list[str]]":
    """The answers of all sources together, and what was left out of them."""
    from tealeaves.human.answers import read_answers
    from tealeaves.human.item_sets import ItemSet

    found: list[Answers] = []
    notes: list[str] = []
    for path in sources:
        if (path / "study.json").is_file():
            one, left_out = _of_study(path, database, all_raters)
            notes += left_out
        else:
            options = {"all_raters": True} if all_raters and _is_ours(path, format) else {}
            one = read_answers(path, [ItemSet.load(one) for one in items] or None, format, **options)
        found.append(one)
    whole = found[0]
    for one in found[1:]:
        whole = whole.with_rater(one)
    for path in model_rater:
        said = read_answers(path, _item_sets(sources, items), "model", invalid=invalid)
        whole = whole.with_rater(_as_of(said, whole))
    return whole, notes


def _is_ours(path: Path, format: str | None) -> bool:
    """Whether these are answers of a study of ours, of which it is known whom its rules leave out."""
    from tealeaves.human.answer_formats import in_folder, recognise

    return (format or recognise(in_folder(path)[0] if path.is_dir() else path)) == "tealeaves"


def _as_of(said: "Answers", whole: "Answers") -> "Answers":
    """A model's answers as answers to the study that asked the people: they are scored beside theirs."""
    from dataclasses import replace

    asked = whole.frame.select("study", "task", "item").unique(maintain_order=True)
    if len(asked.unique(["task", "item"])) < len(asked):
        raise InputError("two studies asked the same items: score the model's answers with one of them")
    return replace(
        said, frame=said.frame.drop("study").join(asked, ["task", "item"]).select(whole.frame.columns)
    )


def _of_study(folder: Path, database: str | None, all_raters: bool) -> "tuple[Answers, list[str]]":
    import time

    from tealeaves.human.answers import Answers
    from tealeaves.human.app.flow import settle
    from tealeaves.human.app.organiser_actions import look
    from tealeaves.human.app.organiser_answers import judged, kept
    from tealeaves.human.app.organiser_data import load, opened
    from tealeaves.human.app.organiser_results import is_open

    with opened(folder, database) as (study, store):
        settle(study, store)
        data = load(study, store, time.time())
        judges = {row["rater"] for row in data.latest if row["role"] == "item"}
        if not judges:
            raise InputError(f"{folder}: no item that counts is answered yet; see `tealeaves study status`")
        quality = judged(data)
        rows = data.latest if all_raters else kept(data, quality)
        if judges.isdisjoint(row["rater"] for row in rows):
            said = (
                f"all {len(judges)} raters are left out by the rules of the study; --all-raters scores them"
            )
            raise InputError(f"{folder}: {said}")
        answers = Answers.from_rows(rows, study.items)
        if not is_open(data):  # a look at results before the end is kept, wherever it is taken
            look(store, True)
            look(store, False)
        out = [one.rater for one in quality if one.excluded]
        early = f"{folder}: the study is {study.state}; that its results were looked at is kept in its log"
        notes = [] if study.state == "closed" else [early]
        if out and not all_raters:
            notes.append(f"{folder}: {len(out)} of {len(quality)} raters are left out by its rules")
        return answers, notes


def _item_sets(sources: Iterable[Path], items: Iterable[Path]) -> list[Any]:
    from tealeaves.human.item_sets import ItemSet

    found = [ItemSet.load(path) for path in items]
    found += [ItemSet.load(path / "items.jsonl") for path in sources if (path / "items.jsonl").is_file()]
    if not found:
        raise InputError("answers of a model need the items they are about: --items items.jsonl")
    return found


def _tables(result: "Result") -> "dict[str, polars.DataFrame]":
    return {name: getattr(result, name) for name in TABLES}


def _tables_of(
    relations: "Relations | None", over_models: "dict[str, Explained]"
) -> "dict[str, polars.DataFrame]":
    """Tables of how automatic measures go along with people."""
    found: dict[str, polars.DataFrame] = {}
    if relations is not None:
        found |= {"relations": relations.frame, "relation_differences": relations.differences}
    if over_models:
        import polars as pl

        found["relations_of_models"] = pl.concat(
            [one.frame.select(pl.lit(human).alias("human"), pl.all()) for human, one in over_models.items()]
        )
    return found


def _save(
    result: "Result",
    relations: "Relations | None",
    over_models: "dict[str, Explained]",
    automatic: "Scores | None",
    out: Path,
) -> None:
    """Each table as CSV, safe for a spreadsheet; everything as JSON; scores with people's beside them."""
    from tealeaves.human.export import csv_text
    from tealeaves.scores_export import plain

    out.mkdir(parents=True, exist_ok=True)
    for name, frame in {**_tables(result), **_tables_of(relations, over_models)}.items():
        write_text(out / f"{name}.csv", csv_text(frame.to_dicts(), frame.columns))
    content = plain({**result.details(), "notes": list(result.notes)})
    write_text(out / "result.json", json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    if automatic is not None and relations is not None:
        result.beside(automatic, relations).save(out / "scores")
