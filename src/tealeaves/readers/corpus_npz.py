"""Reader of NumPy archives with the parts of a sparse matrix of documents by words."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError
from tealeaves.readers import _counts
from tealeaves.readers._beside import words_for
from tealeaves.readers._npz import open_npz
from tealeaves.readers._rows import Fields, no_field

PARTS = ("data", "indices", "indptr", "shape")
WORDS = ("vocab", "vocabulary", "words", "feature_names")
IDS = ("ids", "id", "doc_ids")


def read_npz(path: Path, fields: Fields, vocabulary: Any = None, *, trust: bool = False) -> Corpus:
    """Read ``data``, ``indices``, ``indptr`` and ``shape``, as ``scipy.sparse.save_npz`` names them.

    The words are an array ``vocab`` of the archive or stand beside it; names of documents are its ``ids``.
    Times and labels are arrays that ``time=`` and ``label=`` name.

    Raises
    ------
    FormatError
        If a part is missing, holds Python objects, or does not fit the others.
    """
    with open_npz(path) as archive:
        names = archive.names
        missing = [name for name in PARTS if name not in names]
        if missing:
            wanted = f"{', '.join(PARTS)} (a sparse matrix in rows, and vocab) were expected"
            raise FormatError(path, f"{wanted}, but there are {', '.join(names[:12]) or 'none'}")
        arrays = {name: archive[name] for name in PARTS}
        if "format" in names and archive["format"].item() not in (b"csr", "csr"):
            raise FormatError(path, "is a sparse matrix, but not in rows: write matrix.tocsr()")
        words_there = next((name for name in WORDS if name in names), None)
        if words_there is not None and vocabulary is None:
            vocabulary = _strings(path, archive[words_there], words_there)
        about: dict[str, list[object] | None] = {}
        for role in ("id", "time", "label"):
            name = fields.get(role) or (
                next((name for name in IDS if name in names), None) if role == "id" else None
            )
            if name is not None and name not in names:
                raise FormatError(path, no_field(role, name, [n for n in names if n not in PARTS]))
            about[role] = None if name is None else list(archive[name].tolist())
    ends, of_word, counts, n_words = _checked(path, *(arrays[name] for name in PARTS))
    words, notes = words_for(path, vocabulary, n_words=n_words, used=n_words, trust=trust)
    for role, values in about.items():
        if values is not None and len(values) != len(ends):
            what = f"has {len(ends):,} documents, but {len(values):,} entries for {role}="
            raise FormatError(path, what)
    return _counts.bag_corpus(
        path,
        words,
        ends,
        of_word,
        counts,
        ids=about["id"],
        labels=about["label"],
        slices=about["time"],
        notes=notes,
    )


def _strings(path: Path, array: NDArray[Any], name: str) -> list[str]:
    if array.ndim != 1 or array.dtype.kind != "U":
        raise FormatError(path, f"the array {name!r} must be a list of words, but is of {array.dtype}")
    return [str(word) for word in array.tolist()]


def _checked(
    path: Path, data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: NDArray[Any]
) -> tuple[_counts.Ints, NDArray[Any], _counts.Ints, int]:
    """Ends of the documents, words, counts and the number of words, once they fit together."""
    for name, array in (("indices", indices), ("indptr", indptr), ("shape", shape)):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise FormatError(path, f"{name!r} must be a list of whole numbers, but is of {array.dtype}")
    if shape.size != 2:
        raise FormatError(path, f"'shape' must be documents and words, but has {shape.size} numbers")
    n_docs, n_words = map(int, shape.tolist())
    if len(indptr) != n_docs + 1 or int(indptr[0]) != 0:
        raise FormatError(path, f"'indptr' has {len(indptr):,} entries for {n_docs:,} documents")
    bounds = indptr.astype(np.int64)
    if (np.diff(bounds) < 0).any() or bounds[-1] != len(indices) or data.shape != indices.shape:
        what = f"'indptr' ends at {bounds[-1]:,}, for {len(indices):,} indices and {data.size:,} counts"
        raise FormatError(path, what)
    if indices.size and (int(indices.min()) < 0 or int(indices.max()) >= n_words):
        raise FormatError(path, f"'indices' goes to {int(indices.max()):,}, but there are {n_words:,} words")
    if (
        data.dtype.kind not in "iufb"
        or not (np.isfinite(data) & (data >= 0) & (data == np.floor(data))).all()
    ):
        raise FormatError(path, "'data' holds other values than counts (0, 1, 2, ...): weights?")
    if data.size and float(data.max()) > 2.0**62:
        raise FormatError(path, f"'data' holds a count of {float(data.max()):.3g}")
    return bounds[1:], indices, data.astype(np.int64), n_words
