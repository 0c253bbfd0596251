"""``tealeaves study export`` and ``forget``: files of a study, and the platform's numbers deleted."""

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
    subcommand,
    write_text,
)
from tealeaves.commands._study_common import DATABASE
from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.human.app.store import Store
    from tealeaves.human.study import Study
    from tealeaves.reference_topics import ReferenceTopics


@subcommand(
    """
    tealeaves study export oil --out oil-export
    tealeaves study export oil --out oil-export --file answers.csv --file methods.md
    tealeaves study export oil --prompts prompts.jsonl
    tealeaves study export themes --reference-topics themes.json --corpus corpus --agreed
    tealeaves study export themes --reference-topics both.json --curator R-001 --curator R-002 --keep both
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
@click.option(
    "--curator",
    "curators",
    metavar="NAME",
    multiple=True,
    help="Whose reference topics, where several curate: R-001. Name two, and both are put together.",
)
@click.option(
    "--keep",
    type=click.Choice(["either", "both"]),
    help="Of two curators: what either made, or both. [either]",
)
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
    curators: tuple[str, ...],
    keep: str | None,
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
    if reference_topics is None and (corpus or curators or agreed or keep):
        raise InputError("--corpus, --curator, --keep and --agreed are for --reference-topics OUT")
    if keep is not None and len(curators) != 2:
        raise InputError("--keep is for two curators: name both with --curator")
    if agreed and len(curators) > 1:
        raise InputError("--agreed is of one curator; what both made or agreed to is --keep both")
    with opened(folder, database) as (study, store):
        written: list[Path] = []
        if reference_topics is not None:
            documents = None if corpus is None else read_corpus(corpus, reading)
            made = _write_curated(
                study, store, reference_topics, documents, curators, keep or "either", agreed=agreed
            )
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


def _write_curated(
    study: "Study",
    store: "Store",
    out: Path,
    corpus: "Corpus | None",
    names: tuple[str, ...],
    keep: str,
    *,
    agreed: bool,
) -> "ReferenceTopics":
    """Write what one curator made, or what two did, put together."""
    from tealeaves.human.app.curation_log import curations
    from tealeaves.human.curation_merge import merge_curations

    found = curations(study, store, draft=study.phase == "draft")
    makers = [one for one, log in found.items() if log.state.topics]
    if not makers:
        raise InputError(f"{study.folder}: nobody has made a reference topic yet")
    if not names and len(makers) > 1:
        raise InputError(
            f"{', '.join(makers)} have made reference topics: say whose with --curator, or name two to put "
            "theirs together"
        )
    chosen = names or tuple(makers)
    if unknown := [name for name in chosen if name not in makers]:
        raise InputError(f"{unknown[0]} has made no reference topic; {', '.join(makers)} have")
    if len(chosen) > 2:
        raise InputError(f"two curators' topics are put together at once; got {', '.join(chosen)}")
    if len(chosen) == 2:
        return merge_curations(found[chosen[0]], found[chosen[1]], keep).write(out, corpus)
    readers = [log for one, log in found.items() if one != chosen[0]]
    return found[chosen[0]].write(out, corpus, readers, agreed=agreed)
