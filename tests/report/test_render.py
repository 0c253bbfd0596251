import re
from html.parser import HTMLParser

import pytest

from report.fake import HOSTILE, fake_scores
from tealeaves.report import write_report
from tealeaves.report.render import SECTIONS, render, template_file
from tealeaves.report.summary import summarize


class Page(HTMLParser):
    """The elements of a page, its scripts apart, and which ends are missing."""

    VOID = ("meta", "input", "br", "img", "link", "use", "path", "circle")

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.ids, self.wrong = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for key, value in attrs if key == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append((tag, self.getpos()))

    def named(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module")
def text():
    return render(summarize(fake_scores(), fake_scores(models=("lda-8#1",))))


def test_the_page_is_well_formed_and_no_id_is_used_twice(text):
    page = Page(text)
    assert page.wrong == []
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))


def test_every_link_within_the_page_has_its_target(text):
    page = Page(text)
    targets = {a["href"][1:] for a in [*page.named("a"), *page.named("use")] if "href" in a}
    assert targets <= set(page.ids)


def test_nothing_is_loaded_from_elsewhere(text):
    assert not re.search(r"(src|href)=[\"']?https?:", text)
    assert not re.search(r"url\((?!#)", text)
    assert "@import" not in text
    policy = next(m["content"] for m in Page(text).named("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'")
    assert "script-src 'sha256-" in policy


def test_hostile_words_are_text_and_nothing_else(text):
    page = Page(text)
    assert HOSTILE not in text
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in text
    assert len(page.named("script")) == 2
    assert page.named("img") == []
    assert not [key for _, attrs in page.tags for key in attrs if key.startswith("on")]
    assert "\u202e" not in text


def test_every_topic_of_every_model_has_its_row_with_its_matrix(text):
    rows = [a for a in Page(text).named("details") if a.get("class") == "topic"]
    assert len(rows) == 24
    assert text.count('<table class="pm">') == 24
    assert text.count("Says the same as topic 2: six of ten words are shared.") == 3


def test_a_pair_that_never_meets_is_a_cross_and_not_only_a_colour(text):
    assert '<td class="n4" title="use + also: 0 documents with both">×</td>' in text


def test_an_undefined_value_is_a_dash_with_its_reason(text):
    assert ">– <span>word lists have no weights</span></td>" in text
    assert ">nan<" not in text
    assert "None" not in re.sub(r"<script.*?</script>", "", text, flags=re.S)


def test_many_topics_are_kept_as_json_and_stay_under_five_megabytes():
    text = render(summarize(fake_scores(copies=60, hostile=False)))
    assert len(text.encode()) < 5e6
    rows = [a for a in Page(text).named("details") if a.get("class") == "topic"]
    assert len(rows) == 480 + 1  # the model that leads, and the template for the others


def test_a_report_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "new" / "report.html"
    assert write_report(fake_scores(models=("a",)), path) == path
    before = path.read_text("utf-8")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_report(fake_scores(models=("b",)), path)
    assert path.read_text("utf-8") == before
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]


BARE = re.compile(r"(?:^|[}{,])\s*\.([a-z][\w-]*)\s*(?=[{,])", re.MULTILINE)


@pytest.mark.parametrize("section", sorted({*SECTIONS.values()}))
def test_the_styles_of_a_section_leave_the_marks_of_topics_alone(section):
    """A bare ``.strip`` of one section once bent the strips of every topic."""
    marks = set(
        re.findall(r"[a-z][\w-]*", " ".join(re.findall(r'class="([^"{]+)', template_file("marks.html"))))
    )
    own = {"panel", "key"} if section == "size" else set()
    assert not marks & set(BARE.findall(template_file(f"{section}.css"))) - own
