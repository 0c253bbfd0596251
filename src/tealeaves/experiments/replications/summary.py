"""The summary of all replications: each once, kept in a folder, and one page of what came out."""

from pathlib import Path

from tealeaves.errors import TealeavesError
from tealeaves.experiments.replications import (
    NOT_POSSIBLE,
    REPLICATIONS,
    STATUSES,
    Progress,
    Replication,
    replicate,
)
from tealeaves.folders import write_text

PAGE, FOLDER = "replications.md", "replications"


def replicate_all(
    data: str | Path,
    out: str | Path,
    *,
    full: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> tuple[Path, dict[str, str]]:
    """Compute what ``out`` does not have yet, and write ``replications.md`` there.

    Parameters
    ----------
    data : path
        The folder of the data.
    out : path
        The page is written to it, and results and figures to its folder ``replications``.
    full : bool
        As for `replicate`.
    again : bool
        Compute all, also what is there.
    progress : callable, optional
        As for `replicate`.

    Returns
    -------
    Path, dict of str
        The page, and why what failed did. The page says so without the folder's name: it is for others, too.
    """
    out, failed = Path(out), {}
    kept = out / FOLDER
    kept.mkdir(parents=True, exist_ok=True)
    for name in REPLICATIONS:
        if again or not (kept / f"{name}.json").is_file():
            try:
                replicate(name, data, full=full, progress=progress).save(kept)
            except TealeavesError as error:
                failed[name] = str(error)
    page = out / PAGE
    told = {name: reason.replace(str(data), "the folder of the data") for name, reason in failed.items()}
    write_text(page, summary(kept, told))
    return page, failed


def summary(kept: Path, failed: dict[str, str] | None = None) -> str:
    """The page, from the results in a folder."""
    found = {
        name: Replication.load(kept / f"{name}.json")
        for name in REPLICATIONS
        if (kept / f"{name}.json").is_file()
    }
    parts = [
        "# Replications",
        "Published tables computed again, our numbers beside the printed ones. Made by `tealeaves replicate "
        "all --data DIR --out DIR`; one alone by `tealeaves replicate NAME --data DIR`, and as large as its "
        "source by `--full`.",
        "| replication | tables of | what | how far | lines that agree |",
    ]
    rows = ["| --- | --- | --- | --- | --- |"]
    for name, entry in REPLICATIONS.items():
        lines = found[name].lines if name in found else ()
        agree = f"{sum(line.agrees for line in lines)} of {len(lines)}" if lines else "–"
        if name not in found:
            agree = f"not run: {(failed or {}).get(name, 'no result yet')}"
        shown = f"[{name}](#{name})" if name in found else name
        rows.append(f"| {shown} | {entry.source} | {entry.what} | {entry.status} | {agree} |")
    parts[-1] += "\n" + "\n".join(rows)
    parts.append("\n".join(f"- **{status}**: {means}." for status, means in STATUSES.items()))
    parts += ["## Not possible"]
    parts += [
        "| what | why |\n| --- | --- |\n" + "\n".join(f"| {a} | {b} |" for a, b in NOT_POSSIBLE.items())
    ]
    for name, result in found.items():
        entry = REPLICATIONS[name]
        why = f" ({entry.why})" if entry.why else ""
        parts += [f"## {name}", f"{entry.source}. {entry.what}. How far: {entry.status}{why}."]
        parts.append(result.to_markdown(f"{FOLDER}/").strip())
    return "\n\n".join(parts) + "\n"
