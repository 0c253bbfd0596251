"""``tealeaves study status``: how far studies are, and what needs the organiser."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import FILE, check_exists, print_json, subcommand

if TYPE_CHECKING:
    from tealeaves.human.study import Study

STATES = ("pilot", "live", "paused", "closed")


@subcommand(
    """
    tealeaves study status oil
    tealeaves study status oil --json
    tealeaves study status oil --move live
    """,
    name="status",
)
@click.argument("folders", metavar="FOLDER...", type=FILE, nargs=-1, required=True)
@click.option(
    "--database", metavar="URL", envvar="TEALEAVES_DATABASE", help="Where `serve` keeps the answers."
)
@click.option("--move", "state", type=click.Choice(STATES), help="Take the study there first.")
def status(
    folders: tuple[Path, ...], database: str | None, state: str | None, as_json: bool, quiet: bool
) -> None:
    """Say how far the studies in FOLDERs are, and what needs you. It may be asked while they are served."""
    from tealeaves.human.app.organiser_actions import move
    from tealeaves.human.app.organiser_data import opened

    for path in folders:
        check_exists(path)
    found = []
    for folder in folders:
        with opened(folder, database) as (study, store):
            if state is not None:
                study = move(study, store, state)
            found.append(_status(study, store))
    if as_json:
        print_json(found)
        return
    for one in found:
        click.echo(f"{one['title']} ({one['study']}): {one['state']}")
        if "curators" in one:
            for log in one["curators"]:
                click.echo(
                    f"  {log['curator']}: {log['reference_topics']} reference topics, "
                    f"{log['done']} of {log['topics']} topics looked through, "
                    f"{log['judged']} of others judged"
                )
            if not one["curators"]:
                click.echo("  nobody has curated yet")
            continue
        click.echo(f"  answers: {one['answers']} of {one['wanted']}; {one['leased']} items before raters now")
        people = ", ".join(f"{n} {what}" for what, n in one["raters"].items())
        instead = f", {n} of them instead of raters left out" if (n := len(one["replaced"])) else ""
        click.echo(f"  raters: {people or 'none yet'}; about {one['raters_needed']} needed{instead}")
        click.echo(f"  agreement: {one['agreement']}")
        if one["platform_numbers"]:
            click.echo(
                f"  platform: {one['platform_numbers']} numbers of raters are kept; `forget` deletes them"
            )
        if not quiet:
            for look in one["look"]:
                click.echo(f"  {'-' if look['ok'] else '!'} {look['title']}. {look['text']}")


def _status(study: "Study", store: Any) -> dict[str, Any]:
    import time
    from collections import Counter

    from tealeaves.human.app.organiser_actions import platform_numbers
    from tealeaves.human.app.organiser_answers import alpha, judged, kept
    from tealeaves.human.app.organiser_data import load
    from tealeaves.human.app.organiser_progress import progress
    from tealeaves.human.app.organiser_words import STATES
    from tealeaves.human.serving import raters_needed

    data = load(study, store, time.time())
    if study.task == "reference_topic_curation":
        from tealeaves.human.app.curation_log import progress as of_curators

        about = {"study": study.name, "title": study.settings.title, "state": study.state}
        curators = of_curators(study, store)
        return {**about, "task": study.task, "items": len(study.items), "curators": curators}
    quality = judged(data)
    value, said = alpha(data, kept(data, quality))
    settings = study.settings
    page = progress(data, quality)
    return {
        "study": study.name,
        "title": settings.title,
        "state": study.state,
        "task": study.task,
        "items": len(data.counting),
        "answers": len(data.placed),
        "wanted": data.wanted,
        "leased": sum(data.leased.values()),
        "complete": sum(strip["complete"] for strip in page["strips"]),
        "raters": dict(Counter(STATES.get(row["state"], row["state"]) for row in data.people)),
        "raters_needed": raters_needed(study.items, settings) + len(data.replaced),
        "replaced": sorted(data.replaced),
        "platform_numbers": len(platform_numbers(store)),
        "left_out": {one.rater: list(one.excluded) for one in quality if one.excluded},
        "alpha": None if math.isnan(value) else value,
        "agreement": said,
        "look": page["look"],
    }
