"""What the kernel reads of JSON Lines is what ``json.loads`` reads; what it cannot, it leaves to that."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import FormatError
from tealeaves.readers import corpus_jsonl
from tealeaves.readers.corpus_jsonl import _documents, _read

FIELDS = {"text": "t", "id": None, "time": "when", "label": "topic"}
GOOD = b'{"id": "a", "t": "oil", "when": "1990", "topic": "x"}\n'


def lines(*records, ascii=True):
    return "".join(json.dumps(record, ensure_ascii=ascii) + "\n" for record in records).encode()


def plainly(block):
    """The same documents by ``json.loads`` alone: texts, ids, times, labels, how many are empty."""
    records = [json.loads(line) for line in block.decode().split("\n") if line.strip()]
    texts = [record["t"] for record in records]
    return (
        [text or "" for text in texts],
        [record.get("id") for record in records],
        [record["when"] for record in records],
        [record["topic"] for record in records],
        texts.count(None),
    )


def columns(documents):
    about = documents.about
    return [*documents.texts], about.ids, about.times, about.labels, about.empty


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
times = st.integers() | st.text(min_size=1)
records = st.fixed_dictionaries(
    {"t": st.none() | st.text(st.characters(codec=None), max_size=40), "when": times, "topic": anything},
    optional={"id": anything, "other": anything, "": anything},
)


@given(st.lists(records, min_size=1, max_size=5), st.randoms())
def test_any_records_are_read_as_json_loads_reads_them(made, random):
    for record in made:
        order = list(record)
        random.shuffle(order)
        made[made.index(record)] = {name: record[name] for name in order}
    block = lines(*made)
    found = _read(Path("x"), FIELDS, block)
    assert found is not None
    assert columns(found) == plainly(block)


@given(st.lists(records, min_size=1, max_size=3), st.data())
@example([{"t": "a", "when": 1, "topic": 2}], None)
def test_a_block_with_any_byte_changed_is_read_alike_or_left_alone(made, data):
    """Where the kernel reads it, ``json.loads`` agrees; what ``json.loads`` refuses, so does the kernel."""
    block = bytearray(lines(*made, ascii=False) if _encodes(made) else lines(*made))
    for _ in range(0 if data is None else data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(block) - 1))
        change = data.draw(st.sampled_from(b'"\\{}[],:0e.-+tn \n\r\t\x00\xff\xc3'))
        if data.draw(st.booleans()):
            block[at] = change
        else:
            block.insert(at, change)
    found = _read(Path("x"), FIELDS, bytes(block))
    if found is not None:
        assert columns(found) == plainly(bytes(block))


def _encodes(made):
    try:
        lines(*made, ascii=False)
    except UnicodeEncodeError:
        return False
    return True


@pytest.mark.parametrize(
    "line",
    [
        b'{"t":"a","when":1,"topic":1} x',
        b'{"t":"a","when":1,"topic":1}{"t":"b"}',
        b'{"t":"a","when":1,"topic":1},',
        b'{"t":"a","when":1,"topic":01}',
        b'{"t":"a","when":1,"topic":1.}',
        b'{"t":"a","when":1,"topic":.5}',
        b'{"t":"a","when":1,"topic":+1}',
        b'{"t":"a","when":1,"topic":-}',
        b'{"t":"a","when":1,"topic":[1,]}',
        b'{"t":"a","when":1,"topic":{"a":1,}}',
        b'{"t":"a","when":1,"topic":{"a" 1}}',
        b'{"t":"a","when":1,"topic":[1}}',
        b'{"t":"a","when":1,"topic":tru}',
        b'{"t":"a","when":1,"topic":"\\q"}',
        b'{"t":"a","when":1,"topic":"\\u12g4"}',
        b'{"t":"a\tb","when":1,"topic":1}',
        b'{"t":"\xff","when":1,"topic":1}',
        b'{"t":"\xc0\x80","when":1,"topic":1}',
        b'{"t":"\xed\xa0\xbd","when":1,"topic":1}',
        b'{"t":"\xf5\x80\x80\x80","when":1,"topic":1}',
        b'{"t":"a","when":1,"topic":1,}',
        b'{"t":"a","when":1,"topic":"',
        b'{"t":"a","when":1,"topic":"\\',
        b'{"t":"a","when":1',
        b"[1]",
        b"null",
        b'{"t":5,"when":1,"topic":1}',
        b'{"t":["a"],"when":1,"topic":1}',
        b'{"t":"a","when":null,"topic":1}',
        b'{"t":"a","when":"","topic":1}',
        b'{"t":"a","when":[1],"topic":1}',
        b'{"t":"a","when":1}',
        b'{"when":1,"topic":1}',
    ],
)
def test_a_wrong_line_is_left_to_json_loads_and_named(tmp_path, line):
    block = GOOD + line + b"\n" + GOOD
    assert _read(Path("x"), FIELDS, block) is None
    with pytest.raises(FormatError, match=r"c\.jsonl:9: "):
        _documents(tmp_path / "c.jsonl", FIELDS, 8, block)
    (tmp_path / "c.jsonl").write_bytes(block)
    with pytest.raises(FormatError, match=r"c\.jsonl:2: "):
        tl.read_corpus(tmp_path / "c.jsonl", text="t", time="when", label="topic")


@pytest.mark.parametrize(
    "line",
    [
        b'{"t": NaN, "t": "a", "when": 1, "topic": Infinity}',
        b'{"t": "a", "\\u0074": "b", "when": 1, "topic": 2}',
        b'{"t": "a", "when": 1, "topic": ' + b"[" * 90 + b"]" * 90 + b"}",
        b'{"t": "a", "when": 1, "topic": ' + b"1" * 4100 + b"}",
    ],
)
def test_what_is_rare_is_read_by_json_loads(line):
    assert _read(Path("x"), FIELDS, line) is None
    assert columns(_documents(Path("x"), FIELDS, 1, line)) == plainly(line)


def test_blank_lines_blanks_and_carriage_returns_are_nothing():
    block = (
        b'\n  \n\t{ "t" :"a" , "when": 1, "topic" : [ ] }  \r\n\r\n{"topic":{ },"when":"b","t":"\\"c\\u00e9"}'
    )
    assert columns(_read(Path("x"), FIELDS, block)) == (["a", '"cé'], [None] * 2, [1, "b"], [[], {}], 0)


def test_of_a_name_given_twice_the_last_value_counts():
    block = b'{"t": "long text", "t": "b", "when": 1, "when": 2, "topic": "x", "topic": null}'
    assert columns(_read(Path("x"), FIELDS, block)) == (["b"], [None], [2], [None], 0)


def test_roles_may_share_a_field():
    fields = {"text": "t", "id": "t", "time": "d", "label": "d"}
    found = _read(Path("x"), fields, b'{"t": "a\\nb", "d": 1990}\n{"t": "c", "d": "1991"}\n')
    assert columns(found) == (["a\nb", "c"], ["a\nb", "c"], [1990, "1991"], [1990, "1991"], 0)


def test_ordinary_lines_need_no_json_loads(monkeypatch):
    monkeypatch.setattr(corpus_jsonl.json, "loads", lambda *_: pytest.fail("json.loads was called"))
    assert columns(_read(Path("x"), FIELDS, GOOD * 3))[0] == ["oil"] * 3
