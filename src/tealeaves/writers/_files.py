"""Putting what was written in its place, whole or not at all."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from tealeaves.errors import InputError


def check_target(path: Path) -> None:
    """Refuse to put a file in the place of what is none, such as /dev/stdout, which would be replaced.

    Raises
    ------
    InputError
        If ``path`` is a device, a pipe or a socket.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError(f"{path} is a device or a pipe, which a file would replace: name a file")


def put(path: Path, files: Mapping[str, str | bytes]) -> None:
    """Write a folder of files by their names; of one called "", the file ``path`` itself.

    Raises
    ------
    InputError
        If the text cannot be written as UTF-8, or ``path`` is no place for a file.
    OSError
        If it cannot be written; named is ``path``, not what was to become it.
    """
    check_target(path)
    part = path.with_name(f".{path.name}.part")
    try:
        content = {name: _bytes(text) for name, text in files.items()}
        if "" in content:
            part.write_bytes(content[""])
        else:
            part.mkdir()
            for name, data in content.items():
                (part / name).write_bytes(data)
            if path.is_dir():
                path.rmdir()  # an empty one; only Windows minds
        part.replace(path)
    except UnicodeEncodeError as error:
        raise InputError(f"{path}: {error.object!r:.40} cannot be written as UTF-8: {error.reason}") from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content
