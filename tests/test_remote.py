"""A corpus in an object store counts as it does on this machine, by itself and on a cluster."""

import json

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.cli import run
from tealeaves.counts import Unit, count_pairs
from tealeaves.distributed import connect
from tealeaves.errors import FormatError, InputError
from tealeaves.remote import open_partition

pytest.importorskip("s3fs")
moto = pytest.importorskip("moto.server")
UNITS = [Unit(), Unit("window", 10)]


@pytest.fixture(scope="module")
def store():
    """An object store on this machine, and a bucket in it."""
    import boto3

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "testing")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        boto3.client("s3").create_bucket(Bucket="texts")
        yield boto3.client("s3")
    server.stop()


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(100)]
    docs = [rng.choice(words, rng.integers(0, 60)).tolist() for _ in range(300)]
    return tl.Corpus.from_tokens(docs, ids=map(str, range(300)))


@pytest.fixture
def url(store, corpus):
    corpus.save("s3://texts/news", partitions=5)
    return "s3://texts/news"


@pytest.mark.slow
def test_its_partitions_are_counted_one_by_one_and_on_a_cluster(url, corpus):
    there = tl.load_corpus(url)
    assert (len(there), there.n_tokens, there.fingerprint) == (300, corpus.n_tokens, corpus.fingerprint)
    assert there.vocabulary == corpus.vocabulary
    assert there.document_frequency().tolist() == corpus.document_frequency().tolist()
    words, topics = ["w1", "w2", "w3", "w1 w2"], [[0, 1, 2], [2, 3]]
    with connect("local:1") as cluster:
        for blocks in (0, 7):
            alone = count_pairs(corpus, words, topics, UNITS, blocks=blocks)
            for found in (
                there.count_pairs(words, topics, UNITS, blocks=blocks),
                cluster.count_pairs(there, words, topics, UNITS, blocks=blocks),
            ):
                for unit in UNITS:
                    assert np.array_equal(alone[unit].joints, found[unit].joints)
                    assert np.array_equal(alone[unit].singles, found[unit].singles)
        model = tl.TopicModel.from_words([["w1", "w2", "w3"], ["w5", "w6", "w7"]])
        here = tl.evaluate(model, corpus, measures=["npmi@3", "c_v@3"], resamples=50)
        over = tl.evaluate(
            model, reference=there, measures=["npmi@3", "c_v@3"], resamples=50, cluster=cluster
        )
    assert over.frame.equals(here.frame)


def test_frequencies_in_documents_are_those_of_the_corpus(url, corpus):
    found = tl.load_corpus(url).mean_frequencies()
    np.testing.assert_allclose(found, tl.build_index(corpus).mean_frequencies(), rtol=1e-12)


def test_the_command_line_takes_a_url(url, tmp_path, capsys):
    (tmp_path / "t.json").write_text(json.dumps([["w1", "w2"], ["w5", "w6"]]))
    call = ["evaluate", str(tmp_path / "t.json"), "--reference", url, "-m", "npmi@2", "--no-ci", "--json"]
    assert run(call) == 0
    assert '"npmi@2"' in capsys.readouterr().out


def listed(store):
    return store.list_objects_v2(Bucket="texts", Prefix="news/")["Contents"]


def test_a_corpus_written_over_another_takes_its_place_whole(url, store, corpus):
    before = tl.load_corpus(url)
    n = len(listed(store))
    corpus.select(range(40)).save(url)
    assert len(listed(store)) == n  # nothing is left of the one before
    assert len(tl.load_corpus(url)) == 40
    with pytest.raises(FormatError, match="written anew since it was opened"):
        open_partition(url, 0, expected=before.stored.digests[0])


def test_what_was_changed_there_is_named(url, store):
    key = {entry["Key"].split("/")[1].split(".")[0]: entry["Key"] for entry in listed(store)}
    content = bytearray(store.get_object(Bucket="texts", Key=key["tokens"])["Body"].read())
    content[-5] ^= 1
    store.put_object(Bucket="texts", Key=key["tokens"], Body=bytes(content))
    there = tl.load_corpus(url)
    with pytest.raises(FormatError, match=r"s3.*tokens\..*npy.*partition 4"):
        there.count_pairs(["w1"], [[0]], UNITS)
    assert len(open_partition(url, 0).offsets) > 1
    store.put_object(Bucket="texts", Key=key["vocabulary"], Body=b"[]")
    with pytest.raises(FormatError, match=r"vocabulary\..*json.*checksum"):
        tl.load_corpus(url)
    store.put_object(Bucket="texts", Key="news/corpus.json", Body=b"{}")
    with pytest.raises(FormatError, match="not written by tealeaves"):
        tl.load_corpus(url)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("s3://texts/nothing", "is not there: a corpus saved by tealeaves was expected"),
        ("s3://none/nothing", "nothing"),
        ("nosuch://texts/news", "nosuch"),
    ],
)
def test_a_place_without_a_corpus_is_one_error(store, place, message):
    with pytest.raises(InputError, match=message):
        tl.load_corpus(place)


def test_parts_that_need_documents_are_refused(url):
    model = tl.TopicModel.from_words([["w1", "w2"]])
    with pytest.raises(InputError, match="has no parts"):
        tl.evaluate(model, reference=tl.load_corpus(url), measures="npmi@2", by="slice")
