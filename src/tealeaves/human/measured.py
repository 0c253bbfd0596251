"""Automatic scores that a study keeps in its folder, to be shown beside people's."""

from pathlib import Path
from typing import TYPE_CHECKING

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.human.study import Study
    from tealeaves.scores import Scores

FOLDER, NAME = "scores", "from.txt"  # in the study's folder, and in it what they were called


def keep_scores(study: "Study", path: str | Path) -> "Scores":
    """Copy scores of `evaluate` into the study's folder, in place of those it kept before.

    They are no setting: they can be changed at any time, and raters see nothing of them.

    Raises
    ------
    FormatError
        If there are no saved scores.
    InputError
        If they are of none of the models that the study asks about.
    """
    from tealeaves.scores import load_scores

    scores = load_scores(path)
    asked = dict.fromkeys(item.model for item in study.items if item.model)
    there = dict.fromkeys(scores.frame["model"])
    if not asked.keys() & there.keys():
        raise InputError(
            f"{path}: has scores of {', '.join(map(str, there))}, but the study asks about "
            f"{', '.join(asked)}: evaluate the models under the names they have in the study"
        )
    scores.save(study.folder / FOLDER)
    (study.folder / FOLDER / NAME).write_text(Path(path).resolve().name, "utf-8")
    return scores


def kept_scores(study: "Study") -> "Scores | None":
    """The scores that the study keeps; None where there are none."""
    from tealeaves.scores import load_scores

    folder: Path = study.folder / FOLDER
    return load_scores(folder) if folder.is_dir() else None


def scores_name(study: "Study") -> str:
    """What the folder of these scores was called; nothing where there are none."""
    name = study.folder / FOLDER / NAME
    return name.read_text("utf-8") if name.is_file() else ""
