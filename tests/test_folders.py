"""Saving a folder over another: whatever ends it, one of the two is there."""

import errno
import shutil
import tempfile
from pathlib import Path

import pytest

from tealeaves.corpus import Corpus, load_corpus
from tealeaves.folders import write_text
from tealeaves.index import build_index, load_index
from tealeaves.model import TopicModel, load_model, read_model

SAVED = {
    "model": (
        lambda word, path: TopicModel.from_words([[word]]).save(path),
        lambda path: load_model(path).vocabulary,
    ),
    "corpus": (
        lambda word, path: Corpus.from_tokens([[word]]).save(path),
        lambda path: load_corpus(path).vocabulary,
    ),
    "index": (
        lambda word, path: build_index(Corpus.from_tokens([[word]])).save(path),
        lambda path: load_index(path).vocabulary,
    ),
}


@pytest.fixture(params=SAVED)
def kind(request):
    return SAVED[request.param]


def on_rename(monkeypatch, number, error):
    """Let the renames pass, but the one of this number fail."""
    rename, calls = Path.rename, []

    def failing(self, target):
        calls.append(target)
        if len(calls) == number:
            raise error
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "Input/output error")])
def test_a_save_that_is_interrupted_leaves_what_was_there(kind, tmp_path, monkeypatch, number, error):
    save, words = kind
    save("old", tmp_path / "it")
    on_rename(monkeypatch, number, error)
    with pytest.raises(type(error)):
        save("new", tmp_path / "it")
    assert words(tmp_path / "it") == ("old",)
    assert [path.name for path in tmp_path.iterdir()] == ["it"]


def test_a_save_that_is_interrupted_after_both_renames_has_saved(kind, tmp_path, monkeypatch):
    save, words = kind
    save("old", tmp_path / "it")

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save("new", tmp_path / "it")
    assert words(tmp_path / "it") == ("new",)


def test_after_a_kill_between_the_renames_the_error_names_where_the_old_one_is(kind, tmp_path):
    save, words = kind
    target = tmp_path / "it[1]"
    save("old", target)
    left = tmp_path / ".it[1]-abc" / "old"
    left.parent.mkdir()
    target.rename(left)
    with pytest.raises(FileNotFoundError, match="killed halfway") as told:
        words(target)
    assert str(left) in str(told.value)
    with pytest.raises(FileNotFoundError, match="killed halfway"):
        read_model(target)
    save("new", target)
    assert words(target) == ("new",)
    assert words(left) == ("old",)  # deleted by nobody


def test_where_nothing_may_be_written_the_error_names_the_target(kind, tmp_path, monkeypatch):
    def refused(prefix, dir):
        raise PermissionError(errno.EACCES, "Permission denied", f"{dir}/{prefix}x3k")

    monkeypatch.setattr(tempfile, "mkdtemp", refused)
    with pytest.raises(PermissionError) as told:
        kind[0]("new", tmp_path / "it")
    assert told.value.filename == str(tmp_path / "it")


def test_where_a_part_cannot_be_written_the_error_names_the_target(kind, tmp_path, monkeypatch):
    on_full_disk = OSError(errno.ENOSPC, "No space left on device")

    def full(self, *args, **kwargs):
        on_full_disk.filename = str(self)
        raise on_full_disk

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space left") as told:
        kind[0]("new", tmp_path / "it")
    assert told.value.filename == str(tmp_path / "it")
    assert not any(tmp_path.iterdir())


def test_a_text_whose_writing_is_interrupted_leaves_the_one_that_was_there(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    path = tmp_path / "matcher.json"
    write_text(path, "old\n")
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(path, "new\n")
    assert [one.name for one in tmp_path.iterdir()] == ["matcher.json"]
    assert path.read_text("utf-8") == "old\n"
