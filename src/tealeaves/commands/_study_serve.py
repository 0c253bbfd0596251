"""``tealeaves study serve``: the server, and the links it is reached by."""

import os
import re
from pathlib import Path

import click

from tealeaves.commands._common import FILE, check_exists, note, print_json, subcommand
from tealeaves.errors import FormatError, InputError, TealeavesError


@subcommand(
    """
    tealeaves study serve oil
    tealeaves study serve oil wheat --host 0.0.0.0 --port 443 --workers 2 --url https://studies.example.org
    tealeaves study serve oil --database postgresql://me@db.example.org/studies
    """,
    name="serve",
)
@click.argument("folders", metavar="FOLDER...", type=FILE, nargs=-1, required=True)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="0.0.0.0: everybody who reaches this computer."
)
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that serve."
)
@click.option("--url", metavar="URL", help="The address raters see, where a proxy stands in front.")
@click.option("--log", is_flag=True, help="A line a request on standard error, without anything of a rater.")
@click.option(
    "--database",
    metavar="URL",
    envvar="TEALEAVES_DATABASE",
    help="PostgreSQL instead of a file in each folder; or in the environment, as TEALEAVES_DATABASE.",
)
@click.option(
    "--models", metavar="FOLDER", type=FILE, help="Models of which the organiser may make further studies."
)
def serve(
    folders: tuple[Path, ...],
    host: str,
    port: int,
    workers: int,
    url: str | None,
    log: bool,
    database: str | None,
    models: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Serve the studies in FOLDERs until Ctrl-C stops it. Whoever has the printed link is the organiser.

    A FOLDER may hold one study or many; further ones can be made on the organiser's pages in the latter.
    """
    from tealeaves.human.app.organiser_auth import mint
    from tealeaves.human.app.organiser_new import MODELS
    from tealeaves.human.app.server import listen, run
    from tealeaves.human.study import Study

    for path in (*folders, models):
        check_exists(path)
    inside = [one for folder in folders for one in _studies(folder)]
    if url is not None and not re.fullmatch(r"https?://[^/\s?#@]+/?", url):
        raise InputError(f"--url is an address such as https://studies.example.org; got {url!r}")
    studies = []
    for folder in inside:
        try:
            studies.append(Study.open(folder))
        except TealeavesError as error:
            if folder in folders or len(inside) == 1:  # else it is one of many, and the others are served
                raise
            note(f"not served: {error}", quiet)
    if not studies:
        raise InputError(f"no study of {', '.join(map(str, folders))} can be served")
    address = (
        url or f"http://{'localhost' if host in ('127.0.0.1', '0.0.0.0', '::') else host}:{port}"
    ).rstrip("/")
    listening = listen(host, port)
    token = mint(inside)
    links = {study.name: f"{address}/s/{study.name}/" for study in studies}
    organiser = f"{address}/organiser/login?token={token}"
    if as_json:
        print_json({"raters": links, "organiser": organiser, "host": host, "port": port, "workers": workers})
    else:
        for study in studies:
            click.echo(
                f"{study.settings.title} ({study.name}, {study.state}), for raters: {links[study.name]}"
            )
        click.echo(f"For you alone, the organiser:\n{organiser}")
        if not quiet:
            click.echo("Stop with Ctrl-C. The link above is new at each start.")
    if models is not None:
        os.environ[MODELS] = str(models.resolve())
    behind_proxy = address.startswith("https://")
    with listening:
        run(
            folders,
            database,
            host=host,
            port=port,
            workers=workers,
            behind_proxy=behind_proxy,
            url=url,
            log=log,
            listening=listening,
        )
    note("stopped; every answer is saved", quiet)


def _studies(folder: Path) -> list[Path]:
    """The study in a folder, or those in the folders in it."""
    if (folder / "study.json").is_file() or not folder.is_dir():
        return [folder]
    found = sorted(path.parent for path in folder.glob("*/study.json"))
    if not found:
        raise FormatError(folder, "holds no study; make one with `tealeaves study create`")
    return found
