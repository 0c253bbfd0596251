"""What needs the organiser now: sentences, those that need something first."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tealeaves.human.app.organiser_answers import kept
from tealeaves.human.app.organiser_data import Data
from tealeaves.human.app.organiser_quality import Quality
from tealeaves.human.app.organiser_raters import stands_out
from tealeaves.human.app.organiser_words import count

BAD_CHECK = 0.15  # a check item failed by more raters than this may be a bad item
LISTED = 6  # of raters or items in one sentence


def looks(data: Data, quality: Sequence[Quality], behind: Sequence[str]) -> list[dict[str, Any]]:
    """Sentences, those that need something first."""
    found: list[dict[str, Any]] = []
    if behind:
        waits = [item for item in behind if not data.leased.get(item)]
        again = (
            f"{len(behind) - len(waits)} of them are before raters now. " if len(waits) < len(behind) else ""
        )
        what = count(len(behind), "item is", "items are")
        found.append(
            _one(
                f"{what} behind",
                f"{again}New raters get them first; nothing to do.",
                "#items",
                "See items",
                ok=True,
            )
        )
    for one in quality:
        if not one.excluded and stands_out(one)["position"]:
            said = f"Rater {one.rater} chose the same place in {one.same_position} of {one.placed} items"
            found.append(_one(said, "No rule is broken, so the answers count.", "#raters", "See raters"))
    found += _failing(quality, bool(data.study.settings.rules))
    for place, (item, failed, asked) in enumerate(failed_checks(data, quality)):
        said = f"Check item {item} is failed by {failed} of {asked}"
        if failed / asked > BAD_CHECK and asked >= 4:
            text = "That many good raters failing suggests a bad item: look at it."
            found.append(_one(said, text, "#items", "See items"))
        elif failed and place == 0:
            found.append(_one(said, f"Below the {BAD_CHECK:.0%} that would suggest a bad item.", ok=True))
    out = [one.rater for one in quality if one.excluded]
    if out:
        named = ", ".join(out[:LISTED]) + (" and others" if len(out) > LISTED else "")
        what = count(len(out), "rater falls", "raters fall")
        found.append(
            _one(
                f"{what} under the rules",
                f"{named}: left out of the scores, not deleted.",
                "#raters",
                "See raters",
                ok=True,
            )
        )
        if lacking := _lacking(data, quality):
            said = "Items are full and have too few answers that count"
            given = "are" if data.study.settings.replace_excluded else "are not"
            text = f"Places of raters who are left out {given} given out again. {lacking}."
            found.append(_one(said, text, "#raters", "See raters"))
    gone = [row for row in data.people if row["state"] in ("withdrew", "timed_out")]
    if len(data.people) >= 10 and len(gone) > len(data.people) / 5:
        said = f"{len(gone)} of {len(data.people)} raters left before the end"
        found.append(_one(said, "Is the study longer than it says, or a page unclear?"))
    refused = [row for row in data.people if row["state"] == "quiz"]
    if len(data.people) >= 5 and len(refused) > len(data.people) / 4:
        said = f"{len(refused)} of {len(data.people)} raters failed the quiz"
        found.append(_one(said, "So many suggest that the instructions are not clear."))
    return sorted(found, key=lambda one: one["ok"])


def _failing(quality: Sequence[Quality], rules: bool) -> list[dict[str, Any]]:
    """Raters who got fewer than half of their checks right, and whom no rule leaves out."""
    bad = [
        one for one in quality if not one.excluded and one.checks > 1 and 2 * one.checks_right < one.checks
    ]
    if not bad:
        return []
    named = ", ".join(one.rater for one in bad[:LISTED]) + (" and others" if len(bad) > LISTED else "")
    right = f"{bad[0].checks_right} of {bad[0].checks}" if len(bad) == 1 else "fewer than half of their"
    why = "No rule is broken" if rules else "There are no rules"
    answers = f"{why}, so the answers count."
    return [_one(f"{named} got {right} checks right", answers, "#raters", "See raters")]


def _lacking(data: Data, quality: Sequence[Quality]) -> str:
    """By model, how many answers that count are lacking of items that take no more; nothing where none is."""
    quota = data.study.settings.answers_per_item
    counting = Counter(row["item"] for row in kept(data, quality))
    lacks: dict[str, list[int]] = {}
    for item in data.counting:
        lost = quota - counting[item.id] if data.counts[item.id] >= quota else 0
        lacks.setdefault(item.model or "all models", []).append(lost)
    return "; ".join(
        f"{model}: {sum(lost)} lacking, of {count(sum(map(bool, lost)), 'item')}"
        for model, lost in lacks.items()
        if any(lost)
    )


def _one(title: str, text: str, href: str = "", link: str = "", *, ok: bool = False) -> dict[str, Any]:
    return {"title": title, "text": text, "href": href, "link": link, "ok": ok}


def failed_checks(data: Data, quality: Sequence[Quality]) -> list[tuple[str, int, int]]:
    """Each check item: how many good raters failed it, of how many; those failed most first.

    Good is who got at least half of the other checks right and breaks no rule but that of checks: whoever
    fails all of them says nothing of one, and whoever is left out for a bad check must be heard about it.
    """
    rows = [row for row in data.latest if row["role"] == "check" and row["correct"] is not None]
    had, right = Counter[str](), Counter[str]()
    for row in rows:
        had[row["rater"]] += 1
        right[row["rater"]] += row["correct"]
    out = {one.rater for one in quality if set(one.excluded) - {"checks"}}
    asked, failed = Counter[str](), Counter[str]()
    for row in rows:
        rater = row["rater"]
        others = had[rater] - 1
        if rater not in out and 2 * (right[rater] - row["correct"]) >= others:
            asked[row["item"]] += 1
            failed[row["item"]] += not row["correct"]
    return sorted(
        ((item, failed[item], n) for item, n in asked.items()), key=lambda one: (-one[1] / one[2], one[0])
    )
