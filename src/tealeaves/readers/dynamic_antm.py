"""Reader of ANTM's evolving topics: chains of clusters, one at most in each of its windows of time."""

from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError


def read_antm(fitted: Any) -> DynamicTopicModel:
    """Read a fitted ANTM: a chain ("1-0", "2-3", …: window and cluster) is a topic, a window a slice.

    ANTM lists the words of a cluster from the weakest to the best: they are turned. Where a chain has two
    clusters in one window, the one with more documents stands for it. Clusters in no chain are left out.

    Raises
    ------
    InputError
        If it is not fitted.
    """
    output, chains = getattr(fitted, "output", None), getattr(fitted, "list_tm", None)
    if output is None or not chains:
        raise InputError("this ANTM is not fitted: it has no evolving topics")
    columns = {name: output[name].tolist() for name in ("slice_num", "C", "topic_representation")}
    sizes = output["num_doc"].tolist() if "num_doc" in output else [0] * len(columns["C"])
    clusters: dict[tuple[int, int], tuple[int, list[str]]] = {}
    for window, cluster, words, size in zip(*columns.values(), sizes, strict=True):
        clusters[int(window), int(cluster)] = (int(size), list(words)[::-1])
    windows = range(1, max(window for window, _ in clusters) + 1)
    topics: list[list[list[str] | None]] = [[None] * len(windows) for _ in chains]
    seen, doubled = set(), 0
    for k, chain in enumerate(chains):
        best: dict[int, int] = {}
        for link in chain:
            key = _key(link)
            if key not in clusters:
                raise InputError(f"chain {k} of this ANTM holds {link!r}, which is no cluster of its output")
            seen.add(key)
            size, words = clusters[key]
            doubled += key[0] in best
            if size > best.get(key[0], -1):
                best[key[0]] = size
                topics[k][key[0] - 1] = words
    notes = []
    if doubled:
        notes.append(f"{doubled} clusters share chain and window with a larger one, which was taken")
    if len(seen) < len(clusters):
        notes.append(f"{len(clusters) - len(seen)} of {len(clusters)} clusters are in no chain: left out")
    return DynamicTopicModel(
        word_lists=[list(slice) for slice in zip(*topics, strict=True)],
        slice_labels=windows,
        source="ANTM",
        notes=notes,
    )


def _key(link: Any) -> tuple[int, int]:
    try:
        window, cluster = str(link).split("-")
        return int(float(window)), int(float(cluster))
    except ValueError:
        raise InputError(f"a link such as '1-0' (window, cluster) was expected, but found {link!r}") from None
