"""Work over partitions on Dask gives the numbers of one machine, or one clear error."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.counts import Unit, count_pairs
from tealeaves.distributed import Sent, connect, in_order
from tealeaves.errors import ClusterError, FormatError, InputError, MissingInput

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")
UNITS = [Unit(), Unit("window", 10), Unit("context", 5)]


@pytest.fixture(scope="module")
def cluster():
    with connect("local:2") as connected:
        yield connected


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(200)]
    return tl.Corpus.from_tokens([rng.choice(words, rng.integers(0, 60)).tolist() for _ in range(700)])


@pytest.fixture
def stored(corpus, tmp_path):
    corpus.save(tmp_path / "corpus", partitions=7)
    return tl.load_corpus(tmp_path / "corpus")


def same(a, b):
    return all(
        np.array_equal(getattr(a[unit], name), getattr(b[unit], name))
        for unit in UNITS
        for name in ("n_units", "singles", "keys", "joints")
    )


@pytest.mark.parametrize("blocks", [0, 9])
def test_counts_are_those_of_one_machine_from_memory_and_from_disk(cluster, corpus, stored, blocks):
    words = [f"w{i}" for i in range(30)] + ["w1 w2"]
    topics = [list(range(10)), [5, 20, 30]]
    alone = count_pairs(corpus, words, topics, UNITS, blocks=blocks)
    for source in (corpus, stored):
        assert same(alone, cluster.count_pairs(source, words, topics, UNITS, blocks=blocks))


def test_scores_and_intervals_are_those_of_one_machine(cluster, corpus, stored):
    model = tl.TopicModel.from_words([[f"w{i}" for i in range(k, k + 10)] for k in (0, 50, 90)])
    measures = ["npmi@10", "c_v@10", "umass@5"]
    alone = tl.evaluate(model, corpus, measures=measures, resamples=50)
    for source in (corpus, stored):
        found = tl.evaluate(model, source, measures=measures, resamples=50, cluster=cluster)
        assert found.frame.equals(alone.frame)


def test_a_corpus_smaller_than_the_cluster_is_counted_too(cluster):
    tiny = tl.Corpus.from_tokens([["a", "b"]])
    words, topics = ["a", "b"], [[0, 1]]
    assert same(count_pairs(tiny, words, topics, UNITS), cluster.count_pairs(tiny, words, topics, UNITS))
    nothing = tl.Corpus.from_tokens([], vocabulary=["a", "b"])
    assert cluster.count_pairs(nothing, words, topics, UNITS)[UNITS[0]].n_units == 0


def test_an_index_counts_by_itself_and_bags_have_no_windows(cluster, corpus):
    model = tl.TopicModel.from_words([["w1", "w2", "w3"]])
    index = tl.build_index(corpus)
    assert tl.evaluate(model, reference=index, measures="npmi@3", ci=None, cluster=cluster).value("npmi@3")
    bags = tl.Corpus.from_matrix(np.eye(3, dtype=int), ["w1", "w2", "w3"])
    with pytest.raises(MissingInput, match="needs the order of tokens"):
        cluster.count_pairs(bags, ["w1"], [[0]], UNITS)


def test_an_index_built_over_partitions_is_that_of_one_machine(cluster, corpus, stored):
    alone = tl.build_index(corpus)
    for found in (
        tl.build_index(corpus, cluster=cluster),
        tl.build_index(stored, cluster=cluster),
        tl.build_index(stored, vocabulary=list(corpus.vocabulary), cluster=cluster),
    ):
        assert np.array_equal(found.positions, alone.positions)
        assert found.fingerprint == alone.fingerprint
    few = tl.build_index(corpus, vocabulary=["w1", "w7"])
    over = tl.build_index(stored, vocabulary=["w1", "w7"], cluster=cluster)
    assert np.array_equal(few.positions, over.positions)


def test_a_worker_killed_in_the_middle_does_not_change_the_result(cluster, tmp_path):
    mark = tmp_path / "killed"

    def squared(x, mark):
        if x == 3 and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return x * x

    assert in_order(cluster.map(squared, range(8), str(mark))) == [x * x for x in range(8)]
    assert mark.exists()


@pytest.mark.slow
def test_the_only_worker_is_replaced_with_what_it_held(tmp_path):
    def squared(x, mark):
        if x == 1 and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return x * x

    with connect("local:1") as cluster:
        assert in_order(cluster.map(squared, range(3), str(tmp_path / "killed"))) == [0, 1, 4]


@pytest.mark.slow
def test_a_part_that_kills_every_worker_is_one_clear_error():
    def deadly(x):
        os.kill(os.getpid(), signal.SIGKILL)

    with connect("local:1") as cluster, pytest.raises(ClusterError, match=r"every worker of local:1 .* died"):
        list(cluster.map(deadly, [1]))


@pytest.mark.slow
def test_a_lost_scheduler_is_one_clear_error(corpus):
    def slow(x):
        import time

        time.sleep(x)

    with dask.config.set({"distributed.comm.timeouts.connect": "3s"}), connect("local:1") as cluster:
        found = cluster.map(slow, [0, 60])
        next(found)
        os.kill(cluster.client.run_on_scheduler(os.getpid), signal.SIGKILL)
        with pytest.raises(ClusterError, match=r"scheduler of local:1 was lost; .* rerun"):
            next(found)


WORK = {
    "counting": lambda cluster, stored: cluster.count_pairs(stored, ["w1", "w2"], [[0, 1]], UNITS),
    "blocks": lambda cluster, stored: cluster.count_pairs(stored, ["w1", "w2"], [[0, 1]], UNITS, blocks=5),
    "index": lambda cluster, stored: tl.build_index(stored, cluster=cluster),
}


@pytest.mark.parametrize("work", WORK)
def test_a_corrupt_partition_is_named(cluster, stored, work):
    WORK[work](cluster, stored)  # and one that was whole before is not taken to be so for ever
    tokens = stored.stored.path / "tokens.npy"
    content = bytearray(tokens.read_bytes())
    content[-40] ^= 1
    tokens.write_bytes(content)
    with pytest.raises(FormatError, match=r"tokens\.npy.*partition 6"):
        WORK[work](cluster, stored)


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [0, 9])
def test_a_worker_killed_by_its_process_id_while_words_are_counted_changes_no_count(stored, blocks):
    words, topics = [f"w{i}" for i in range(30)], [list(range(10)), [5, 20, 29]]
    with connect("local:2") as cluster:
        pids = list(cluster.client.run(os.getpid).values())

        def kill_one(done, _of):
            if done == 1:
                os.kill(pids[0], signal.SIGKILL)

        found = cluster.count_pairs(stored, words, topics, UNITS, blocks=blocks, progress=kill_one)
        assert not alive(pids[0])
    assert same(found, count_pairs(stored, words, topics, UNITS, blocks=blocks))


@pytest.mark.slow
@pytest.mark.parametrize("work", WORK)
def test_a_scheduler_that_is_lost_is_one_clear_error_whatever_is_done(stored, work):
    with dask.config.set({"distributed.comm.timeouts.connect": "3s"}), connect("local:1") as cluster:
        os.kill(cluster.client.run_on_scheduler(os.getpid), signal.SIGKILL)
        time.sleep(1)
        with pytest.raises(ClusterError, match="scheduler"):
            WORK[work](cluster, stored)


def test_a_corpus_that_was_written_anew_is_not_counted_for_the_one_that_was_opened(cluster, stored):
    tl.append_corpus(stored.stored.path, tl.Corpus.from_tokens([["w1", "w2"]]))
    assert cluster.count_pairs(stored, ["w1", "w2"], [[0, 1]], UNITS)[UNITS[0]].n_units == len(stored)
    for partitions in (7, 2):
        tl.Corpus.from_tokens([["w1", "w2"]] * 50).save(stored.stored.path, partitions=partitions)
        with pytest.raises(FormatError, match="written anew"):
            cluster.count_pairs(stored, ["w1", "w2"], [[0, 1]], UNITS)


def test_a_part_of_a_stored_corpus_is_not_taken_for_the_whole(stored):
    some = stored.select(range(40))
    assert not hasattr(some, "stored")
    assert not hasattr(tl.load_corpus(stored.stored.path, partition=1), "stored")


def test_what_a_task_raises_is_not_taken_for_a_lost_connection(cluster):
    def denied(x):
        raise PermissionError(13, "Permission denied", "tokens.npy")

    with pytest.raises(PermissionError, match=r"tokens\.npy"):
        list(cluster.map(denied, [1, 2]))


@pytest.mark.slow
def test_processes_end_with_the_one_that_started_them():
    code = (
        "import os, time\nfrom tealeaves.distributed import connect\n"
        "with connect('local:1') as c:\n"
        "    pids = [c.client.run_on_scheduler(os.getpid), *c.client.run(os.getpid).values()]\n"
        "    print(*pids, flush=True)\n    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pids = [int(pid) for pid in process.stdout.readline().split()]
    assert len(pids) == 2
    process.kill()
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 60
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not any(map(alive, pids))


def alive(pid):
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_a_corpus_that_workers_do_not_see_is_said(cluster, stored):
    shutil.rmtree(stored.stored.path)
    with pytest.raises(ClusterError, match=r"a worker does not see .* put the corpus where"):
        cluster.count_pairs(stored, ["w1", "w2"], [[0, 1]], UNITS)


@pytest.mark.parametrize("name", ["local", "local:0", "local:two", "10.0.0.5:8786", "http://x", 4])
def test_a_cluster_that_is_none_is_refused(name, corpus):
    with pytest.raises(InputError, match=r"cluster must be 'local:N'"):
        tl.evaluate(tl.TopicModel.from_words([["w1", "w2"]]), corpus, cluster=name)


def test_an_address_where_nothing_answers_is_said(monkeypatch):
    monkeypatch.setattr("tealeaves.distributed.PATIENCE", 1)
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):  # noqa: SIM117
        with connect("tcp://127.0.0.1:9"):
            pass


def test_runs_of_documents_cover_a_corpus_once(cluster, corpus):
    parts = cluster.parts_of(corpus)
    assert all(isinstance(part, Sent) for part in parts)
    assert sum(len(part.offsets) - 1 for part in parts) == len(corpus)
    assert np.array_equal(np.concatenate([part.tokens for part in parts]), corpus.tokens)
