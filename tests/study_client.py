"""A rater's browser without a browser: reads the forms of our pages and sends them back."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tealeaves.human.items import Item, ItemSet
from tealeaves.human.study import Study

WORDS = ("oil", "gas", "crude", "opec", "barrel", "bpd")


class Forms(HTMLParser):
    """The first form of a page, and every link."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.action, self.fields, self.choices, self.links = "", {}, {}, []
        self.depth = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "form" and not self.action:
            self.action = given.get("action") or ""
        if tag == "input" and self.action and (name := given.get("name")):
            if given.get("type") in ("radio", "checkbox"):
                self.choices.setdefault(name, []).append(given.get("value") or "")
            elif given.get("type") == "hidden" and name not in self.fields:
                self.fields[name] = given.get("value") or ""


class Rater:
    """Goes through a study with an httpx client (or Starlette's test client), one request after the other."""

    def __init__(self, client: Any, study: str = "study") -> None:
        self.client, self.study = client, study
        self.page: Any = None

    def url(self, path: str = "") -> str:
        return f"/s/{self.study}/{path}"

    def get(self, path: str = "", **options: Any) -> Any:
        self.page = self.client.get(self.url(path), follow_redirects=True, **options)
        return self.page

    @property
    def forms(self) -> Forms:
        return Forms(self.page.text)

    @property
    def at(self) -> str:
        return self.page.url.path.removeprefix(self.url())

    def send(self, **given: str) -> Any:
        """Send the page's form with the hidden fields it has."""
        forms = self.forms
        assert forms.action, self.page.text
        self.page = self.client.post(forms.action, data={**forms.fields, **given}, follow_redirects=True)
        return self.page

    def choose(self, place: int = 0) -> dict[str, str]:
        """One choice for every group of buttons."""
        return {name: values[min(place, len(values) - 1)] for name, values in self.forms.choices.items()}

    def consent(self, stop: str = "keep", query: str = "") -> Any:
        self.get(query)
        return self.send(agree="1", stop=stop)

    def to_items(self, stop: str = "keep", query: str = "") -> Any:
        """From the first page to the first item."""
        self.consent(stop, query)
        for _ in range(30):
            if self.at.startswith("item/") or self.at in ("end", "thanks"):
                return self.page
            self.send(**({} if self.at == "instructions" else self.choose()))
        raise AssertionError(f"never came to an item: {self.at}")

    def answer(self, place: int = 0, **more: str) -> Any:
        """Answer the item on the page; breaks are passed over."""
        self.send(**self.choose(place), **more)
        if self.at == "break":
            self.get(self.forms.links[-1].removeprefix(self.url()))
        return self.page

    def finish(self) -> Any:
        for _ in range(500):
            if not self.at.startswith("item/"):
                return self.page
            self.answer()
        raise AssertionError("the items never end")


def word_items(
    n: int = 6, *, models: tuple[str, ...] = ("lda",), checks: int = 0, practice: int = 0
) -> ItemSet:
    """n items of each model; every intruder is called zzz…, so that leaks are found by looking for it."""
    made = []
    for model in models:
        for topic in range(n):
            made.append(_item(len(made), model, topic, "item", f"zzz{len(made)}"))
    for i in range(checks):
        made.append(_item(len(made), "", None, "check", f"zzzcheck{i}"))
    for i in range(practice):
        made.append(_item(len(made), "", None, "practice", f"yyypractice{i}"))
    return ItemSet("word_intrusion", made)


def _item(number: int, model: str, topic: int | None, role: str, key: str) -> Item:
    words = [f"{word}{number}" for word in WORDS[:5]]
    words.insert(number % 6, key)
    hidden = {"intruder": key, "feedback": f"{key} is another thing."}
    return Item(f"i{number:04d}", "word_intrusion", model, topic, role, tuple(words), key, {}, hidden)


def new_study(folder: Path, items: ItemSet | None = None, state: str = "live", **settings: Any) -> Study:
    """A study that is open, without quiz unless asked for."""
    study = Study.create(
        folder / "study", items or word_items(), **{"quiz": False, "title": "Words", **settings}
    )
    return study if state == "draft" else study.move(state)


def assignment_of(html: str) -> str:
    return re.search(r'name="assignment" value="([^"]*)"', html)[1]
