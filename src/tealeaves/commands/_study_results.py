"""``tealeaves study export``, ``score`` and ``rounds``: what came of a study."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import (
    FILE,
    check_exists,
    corpus_options,
    note,
    print_json,
    read_corpus,
    seed_option,
    subcommand,
    write_text,
)
from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.human.answers import Answers
    from tealeaves.human.app.store import Store
    from tealeaves.human.curation import Curation
    from tealeaves.human.rounds import Round
    from tealeaves.human.scoring import Result
    from tealeaves.human.study import Study
    from tealeaves.matcher_pairs import TopicPair

TABLES = ("models", "topics", "items", "raters", "agreement", "differences", "apart")
DATABASE = click.option(
    "--database", metavar="URL", envvar="TEALEAVES_DATABASE", help="Where `serve` keeps the answers."
)


@subcommand(
    """
    tealeaves study export oil --out oil-export
    tealeaves study export oil --out oil-export --file answers.csv --file methods.md
    tealeaves study export oil --prompts prompts.jsonl
    tealeaves study export themes --reference-topics themes.json --corpus corpus --agreed
    """,
    name="export",
)
@click.argument("folder", metavar="FOLDER", type=FILE)
@click.option("--out", metavar="FOLDER", type=FILE, help="Where the files go. [FOLDER/export]")
@click.option("--file", "files", metavar="NAME", multiple=True, help="Only this file. Repeat it.")
@click.option(
    "--prompts", metavar="FILE", type=FILE, help="Only the items, as prompts for a language model as rater."
)
@click.option(
    "--platform-numbers", metavar="FILE", type=FILE, help="Only who is who on the platform: keep it apart."
)
@click.option(
    "--reference-topics",
    metavar="OUT",
    type=FILE,
    help="Only what a curator made: .json, .csv or a folder for `evaluate --reference-topics`.",
)
@click.option("--corpus", metavar="PATH", type=FILE, help="Documents of the reference topics: weighs words.")
@click.option("--curator", metavar="NAME", help="Whose reference topics, where several curate: R-001.")
@click.option("--agreed", is_flag=True, help="Only reference topics that a second reader agreed to.")
@corpus_options
@DATABASE
def export(
    folder: Path,
    out: Path | None,
    files: tuple[str, ...],
    prompts: Path | None,
    platform_numbers: Path | None,
    reference_topics: Path | None,
    corpus: Path | None,
    curator: str | None,
    agreed: bool,
    reading: dict[str, Any],
    database: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write answers, items, raters, design and a text for the methods section of a paper.

    Cells of CSV that begin with = + - @ or a tab get an apostrophe in front, so that no spreadsheet takes
    them for formulas; JSON lines and Parquet hold every text as it is. Raters stand there by pseudonym.
    """
    from tealeaves.human.app.organiser_actions import exports
    from tealeaves.human.app.organiser_actions import platform_numbers as numbers
    from tealeaves.human.app.organiser_data import opened
    from tealeaves.human.export import FILES
    from tealeaves.human.export import export as write
    from tealeaves.human.record import record

    check_exists(folder)
    check_exists(corpus)
    if reference_topics is None and (corpus or curator or agreed):
        raise InputError("--corpus, --curator and --agreed are for --reference-topics OUT")
    with opened(folder, database) as (study, store):
        written: list[Path] = []
        if reference_topics is not None:
            documents = None if corpus is None else read_corpus(corpus, reading)
            log, readers = _curated(study, store, curator)
            made = log.write(reference_topics, documents, readers, agreed=agreed)
            for text in made.notes:
                note(text, quiet)
            written.append(reference_topics)
        if prompts is not None:
            study.items.prompts(prompts)
            written.append(prompts)
        if platform_numbers is not None:
            write_text(platform_numbers, _numbers_csv(numbers(store)))
            written.append(platform_numbers)
        if not written:
            exports(study, store, files or FILES)  # of a live study: the text for a paper says so
            written = write(record(study, store), out or folder / "export", files or FILES)
    if as_json:
        print_json({"written": [str(path) for path in written]})
    else:
        for path in written:
            about = f": {FILES[path.name]}" if path.name in FILES and not quiet else ""
            click.echo(f"{path}{about}")


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
    "--scores", metavar="FOLDER", type=FILE, help="Scores of `evaluate`: how they go along with people's."
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
    from tealeaves.human.relate import relate
    from tealeaves.human.scoring import score as scored

    for path in (*sources, *items, *model_rater, scores):
        check_exists(path)
    if out is not None and out.is_file():
        raise InputError(f"{out}: is a file, but the tables need a folder")
    answers, notes = _answers(sources, items, format, model_rater, database, all_raters)
    from tealeaves.terminal import progress

    with progress("Scoring", quiet=quiet):
        result = scored(answers, resamples=resamples, seed=seed)
    relations, automatic = None, None
    if scores is not None:
        from tealeaves.scores import load_scores

        automatic = load_scores(scores)
        relations = relate(automatic, result, resamples=resamples, seed=seed)
    if out is not None:
        _save(result, relations, automatic, out)
    for text in (*notes, *result.notes, *(relations.notes if relations is not None else ())):
        note(text, quiet)
    if as_json:
        found = {
            **{name: getattr(result, name).to_dicts() for name in TABLES},
            "notes": [*notes, *result.notes],
        }
        if relations is not None:
            found["relations"] = relations.frame.to_dicts()
            found["relation_differences"] = relations.differences.to_dicts()
        print_json(found)
        return
    click.echo(result.to_markdown())
    if not quiet:
        for row in result.agreement.to_dicts():
            value = f"– ({row['reason']})" if math.isnan(row["value"]) else f"{row['value']:.3f}"
            click.echo(f"{row['coefficient']}, {row['coding']}, {row['level']}: {value}")
        for row in result.apart.to_dicts():
            ends = f"[{row['low']:.2f}, {row['high']:.2f}]"
            click.echo(
                f"{row['rater']} beside people, {row['measure']} of {row['model']}: {row['value']:.2f}, "
                f"people's of the same {row['people']:.2f}, difference {row['difference']:.2f} {ends}"
            )
        for row in result.differences.to_dicts():
            ends = f"[{row['low']:.2f}, {row['high']:.2f}]"
            p = f"p = {row['p_holm']:.2g} by Holm"
            click.echo(f"{row['measure']}: {row['a']} less {row['b']}: {row['difference']:.2f} {ends}, {p}")
    if relations is not None:
        click.echo(f"\n{relations.to_markdown()}")
    if out is not None:
        note(f"written to {out}", quiet)


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
    from tealeaves.matcher_pairs import TopicPairs, read_pairs

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


@subcommand(
    """
    tealeaves study forget oil
    tealeaves study forget oil --export who-was-who.csv
    """,
    name="forget",
)
@click.argument("folder", metavar="FOLDER", type=FILE)
@click.option(
    "--export", "kept", metavar="FILE", type=FILE, help="Write down who was who before: keep it apart."
)
@DATABASE
def forget(folder: Path, kept: Path | None, database: str | None, as_json: bool, quiet: bool) -> None:
    """Delete the platform's numbers of all raters of a closed study, as they were promised.

    Do so once everybody is paid: afterwards nobody can be found by a pseudonym. Answers stay as they are.
    """
    from tealeaves.human.app.organiser_actions import platform_numbers
    from tealeaves.human.app.organiser_data import opened
    from tealeaves.human.app.sessions import forget_platform_ids

    check_exists(folder)
    with opened(folder, database) as (study, store):
        if study.state != "closed":
            raise InputError(
                f"{folder}: is {study.state}, so that raters must still be paid; "
                f"first: tealeaves study status {folder} --move closed"
            )
        if kept is not None:
            write_text(kept, _numbers_csv(platform_numbers(store)))
        gone = forget_platform_ids(store)
    if as_json:
        print_json({"study": study.name, "forgotten": gone, "export": None if kept is None else str(kept)})
        return
    click.echo(f"{folder}: {gone} numbers of the platform are deleted")
    if not quiet and database is not None:
        click.echo(
            "PostgreSQL's files and backups may hold them until it cleans up: VACUUM FULL platform_ids"
        )


def _numbers_csv(rows: "list[dict[str, str]]") -> str:
    from tealeaves.human.export import csv_text

    return csv_text(rows, ("rater", "state", "platform", "number", "details"))


def _curated(study: "Study", store: "Store", name: str | None) -> "tuple[Curation, list[Curation]]":
    """The log of the curator of this name, or of the only one, and those of all others."""
    from tealeaves.human.app.curation_log import curations

    found = curations(study, store, draft=study.phase == "draft")
    makers = [one for one, log in found.items() if log.state.topics]
    if not makers:
        raise InputError(f"{study.folder}: nobody has made a reference topic yet")
    if name is None and len(makers) > 1:
        raise InputError(f"{', '.join(makers)} have made reference topics: say whose with --curator")
    chosen = name or makers[0]
    if chosen not in makers:
        raise InputError(f"{chosen} has made no reference topic; {', '.join(makers)} have")
    return found[chosen], [log for one, log in found.items() if one != chosen]


def _answers(
    sources: Iterable[Path],
    items: tuple[Path, ...],
    format: str | None,
    model_rater: Iterable[Path],
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
        said = read_answers(path, _item_sets(sources, items), "model")
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
    from tealeaves.human.app import organiser_views as views
    from tealeaves.human.app.flow import settle
    from tealeaves.human.app.organiser_actions import look
    from tealeaves.human.app.organiser_data import load, opened
    from tealeaves.human.app.organiser_results import is_open

    with opened(folder, database) as (study, store):
        settle(study, store)
        data = load(study, store, time.time())
        if not data.latest:
            raise InputError(f"{folder}: there are no answers yet; see `tealeaves study status`")
        quality = views.judged(data)
        rows = data.latest if all_raters else views.kept(data, quality)
        if not rows:
            said = (
                f"all {len(quality)} raters are left out by the rules of the study; --all-raters scores them"
            )
            raise InputError(f"{folder}: {said}")
        answers = Answers.from_rows(rows, study.items)
        if not is_open(data):  # a look at results before the end is kept, wherever it is taken
            look(store, True)
            look(store, False)
        out = [one.rater for one in quality if one.excluded]
        notes = (
            [] if study.state == "closed" else [f"{folder}: results of a study that is {study.state}; kept"]
        )
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


def _save(result: "Result", relations: Any, automatic: Any, out: Path) -> None:
    """Each table as CSV, safe for a spreadsheet; everything as JSON; scores with people's beside them."""
    from tealeaves.human.export import csv_text
    from tealeaves.scores_export import plain

    out.mkdir(parents=True, exist_ok=True)
    tables = {name: getattr(result, name) for name in TABLES}
    if relations is not None:
        tables |= {"relations": relations.frame, "relation_differences": relations.differences}
    for name, frame in tables.items():
        write_text(out / f"{name}.csv", csv_text(frame.to_dicts(), frame.columns))
    content = plain({**result.details(), "notes": list(result.notes)})
    write_text(out / "result.json", json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    if automatic is not None:
        beside = result.beside(automatic, relations)
        beside.save(out / "scores")


def _round(path: Path, database: str | None) -> "tuple[list[TopicPair], dict[str, Any]]":
    """The pairs of a round, and by rater the label of each; nan where there is none."""
    import numpy as np

    from tealeaves.matcher_pairs import read_pairs

    if path.is_file():
        pairs = read_pairs(path)
        if pairs.labels is None:
            raise InputError(f"{path}: these pairs have no labels yet")
        return list(pairs), {f"rater {r + 1}": row for r, row in enumerate(pairs.labels)}
    import time

    from tealeaves.human.app import organiser_views as views
    from tealeaves.human.app.organiser_data import load, opened
    from tealeaves.human.rounds import pair_of

    with opened(path, database) as (study, store):
        if study.task != "topic_pair_matching":
            raise InputError(f"{path}: is a study of {study.task}, but rounds are of topic_pair_matching")
        data = load(study, store, time.time())
        place = {item.id: i for i, item in enumerate(data.counting)}
        labels: dict[str, Any] = {}
        for row in views.kept(data, views.judged(data)):
            if row["item"] in place:
                mine = labels.setdefault(row["rater"], np.full(len(place), np.nan))
                mine[place[row["item"]]] = row["value"]["label"]
        return [pair_of(item) for item in data.counting], dict(sorted(labels.items()))
