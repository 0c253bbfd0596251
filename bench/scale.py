"""Corpora beyond memory: reading text, counting on disk, more workers; each row in a process of its own.

    python -m bench.scale text 300 news.jsonl          # generate 300 MB of text
    python -m bench.scale ingest news.jsonl [TOOL …]   # read it with each tool
    python -m bench.scale formats news.jsonl [ENDING …]  # write it as CSV, Parquet, … and read each
    python -m bench.scale tokens 150 corpus            # generate a corpus of 150M tokens on disk
    python -m bench.scale count corpus [1|2|local:1|local:2 …]

Times of processes on a machine that does other things, too, say little: CPU seconds are given beside them.
Peak memory is the anonymous one, seen every 10 ms: pages of mapped files can be taken away at any time.
"""

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

LETTERS = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz", np.uint8)
USED = np.array(
    [12, 9, 8, 7.5, 7, 7, 6, 6, 6, 4, 4, 3, 3, 2.4, 2.4, 2, 2, 2, 1, 1.5, 2, 0.8, 0.2, 0.1, 0.2, 0.1]
)
VOCABULARY, CHUNK = 200_000, 1 << 20
MEMORY = os.environ.get("TEALEAVES_MEMORY", "600MB")
WORD = r"\p{L}[\p{L}\p{M}]*"


def words(rng: np.random.Generator) -> list[str]:
    """Words of letters as often as in English, 2 to 18 long; the frequent ones short."""
    lengths = np.clip(rng.poisson(3 + np.log10(np.arange(VOCABULARY) + 1)), 2, 18)
    letters = rng.choice(LETTERS, (VOCABULARY, 18), p=USED / USED.sum())
    found = dict.fromkeys(bytes(row[:n]).decode() for row, n in zip(letters, lengths.tolist(), strict=True))
    return list(found)


def zipf(rng: np.random.Generator, n: int, size: int) -> np.ndarray:
    """Ids of words by the law of Zipf and Mandelbrot."""
    p = 1 / (np.arange(n) + 2.7) ** 1.05
    return np.searchsorted(np.cumsum(p / p.sum()), rng.random(size)).clip(max=n - 1).astype(np.int32)


def write_text(megabytes: int, path: Path) -> None:
    """JSON Lines of stories of 40 to 500 words with commas, full stops and, now and then, accents."""
    rng = np.random.default_rng(0)
    known = np.array(words(rng), dtype=object)
    gaps = np.array([" "] * 12 + [", ", ", ", ". ", "; "], dtype=object)
    size = number = 0
    with path.open("w") as file:
        while size < megabytes * 1_000_000:
            some = known[zipf(rng, len(known), CHUNK)] + gaps[rng.integers(0, 16, CHUNK)]
            at = 0
            while at < CHUNK:
                n = int(rng.integers(40, 500))
                body = "".join(some[at : at + n]).capitalize()
                body = body.replace("e", "é", 3) if number % 50 == 0 else body
                row = {"id": f"d{number}", "date": str(1990 + number % 30), "body": body}
                size += file.write(json.dumps(row, ensure_ascii=False) + "\n")
                number, at = number + 1, at + n


def write_tokens(millions: int, folder: Path) -> None:
    """A corpus of documents of 150 tokens over 50,000 words, in as many partitions as a build makes."""
    from tealeaves.building import PART
    from tealeaves.corpus_store import CORPUS, Writer, cuts
    from tealeaves.folders import save_folder

    def write(new: Path) -> None:
        rng, writer = np.random.default_rng(0), Writer(new)
        drawn = [zipf(rng, 50_000, 999_900) for _ in range(min(millions, 32))]
        for i in range(millions):
            writer.add(drawn[i % len(drawn)], np.full(6_666, 150))  # the same again: counting does not know
        _, offsets = writer.mapped()
        names = [f"w{i}" for i in range(50_000)]
        about = {"ordered": True, "gaps": "kept", "preprocess": "", "notes": [], "slice_labels": None}
        writer.finish(names, cuts(offsets, max(1, int(offsets[-1]) // PART)), **about)

    save_folder(folder, CORPUS, write)


@contextmanager
def measured(**about: object) -> Iterator[dict]:
    """Seconds, CPU seconds (of child processes, too) and the peak of anonymous memory, printed as JSON."""
    peak, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.01):
            status = Path("/proc/self/status").read_text()
            peak[0] = max(peak[0], int(status.partition("RssAnon:")[2].split()[0]))

    def cpu() -> float:
        mine, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    found: dict = {}
    start, used = time.perf_counter(), cpu()
    yield found
    row = {**about, "seconds": round(time.perf_counter() - start, 2), "cpu": round(cpu() - used, 2)}
    done.set()
    watcher.join()
    print(json.dumps({**row, "peak_mb": peak[0] // 1024, **found}), flush=True)


def bodies(path: Path) -> Iterator[str]:
    """The texts, as a script of Python would read them."""
    with path.open() as file:
        for line in file:
            yield json.loads(line)["body"]


def tealeaves(path: Path, workers: int | None = None, texts: bool = False) -> int:
    import tealeaves as tl

    out = path.with_name(path.name + ".corpus")
    field = None if path.is_dir() else "body"
    tl.build_corpus(path, out, text=field, workers=workers, texts=texts, memory=MEMORY)
    return len(tl.load_corpus(out, verify=False).vocabulary)


def tealeaves_1(path: Path) -> int:
    return tealeaves(path, 1)


def tealeaves_texts(path: Path) -> int:
    return tealeaves(path, texts=True)


def scikit_learn(path: Path) -> int:
    from sklearn.feature_extraction.text import CountVectorizer

    made = CountVectorizer(token_pattern=r"(?u)[^\W\d_]+")
    made.fit_transform(bodies(path))
    return len(made.vocabulary_)


def gensim(path: Path) -> int:
    from gensim.corpora import Dictionary
    from gensim.utils import tokenize

    known = Dictionary()
    for body in bodies(path):
        known.doc2bow(tokenize(body, lowercase=True), allow_update=True)
    return len(known)


def polars(path: Path) -> int:
    import polars as pl

    cut = pl.col("body").str.to_lowercase().str.extract_all(WORD).alias("word")
    rows = pl.scan_ndjson(path).select(cut).explode("word").group_by("word").len().collect(engine="streaming")
    return rows.height


def duckdb(path: Path) -> int:
    import duckdb as db

    cut = f"select unnest(regexp_extract_all(lower(body), '{WORD}')) word from read_json('{path}')"
    return len(db.sql(f"select word, count(*) from ({cut}) group by word").fetchall())


def tokenizers(path: Path) -> int:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

    made = Tokenizer(models.WordLevel(unk_token="?"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Split(Regex(r"[^\p{L}\p{M}]+"), "removed")
    made.train_from_iterator(bodies(path), trainers.WordLevelTrainer(vocab_size=10**7, show_progress=False))
    return made.get_vocab_size()


TOOLS = {
    tool.__name__: tool
    for tool in (tealeaves, tealeaves_1, tealeaves_texts, scikit_learn, gensim, polars, duckdb, tokenizers)
}


def ingest(tool: str, path: Path) -> None:
    TOOLS[tool](path.with_name("warm.jsonl"))  # what is compiled at first use is no part of it
    size = sum(file.stat().st_size for file in path.rglob("*")) if path.is_dir() else path.stat().st_size
    with measured(tool=tool, file=path.name, megabytes=round(size / 1e6)) as found:
        found["words"] = TOOLS[tool](path)


def write_as(ending: str, path: Path) -> Path:
    """The same documents in another format."""
    import polars as pl
    import zstandard

    out = path.with_suffix(f".{ending}")
    if ending in ("csv", "parquet"):
        table = pl.scan_ndjson(path)
        table.sink_csv(out) if ending == "csv" else table.sink_parquet(out)
    elif ending == "folder":
        for i, body in enumerate(bodies(path)):
            file = out / f"{i // 1000}" / f"{i}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body)
    else:
        out = path.with_suffix(f".jsonl.{ending}")
        opened = gzip.open if ending == "gz" else zstandard.open
        with path.open("rb") as file, opened(out, "wb") as packed:
            shutil.copyfileobj(file, packed, CHUNK)
    return out


def count(how: str, folder: Path) -> None:
    import tealeaves as tl

    rng = np.random.default_rng(0)
    topics = [[f"w{w}" for w in rng.choice(np.arange(50, 5_000), 10, replace=False)] for _ in range(50)]
    model = tl.TopicModel.from_words(topics)
    asked = {"measures": ["u_mass@10", "c_npmi@10", "c_v@10"], "ci": None}
    small = tl.Corpus.from_tokens([["w1", "w2"]])
    tl.evaluate(tl.TopicModel.from_words([["w1", "w2"]]), small, **asked)
    where = {"cluster": how} if ":" in how else {"workers": int(how)}
    with measured(what="three windows", how=how) as found:
        corpus = tl.load_corpus(folder, verify=False)
        found["tokens"] = corpus.n_tokens
        found["c_npmi"] = tl.evaluate(model, corpus, **asked, **where).value("c_npmi@10")


def rows(action: str, place: str, names: list[str]) -> None:
    """Run each row in a process of its own."""
    if action == "ingest":
        write_text(1, Path(place).with_name("warm.jsonl"))
    for name in names:
        subprocess.run([sys.executable, "-m", "bench.scale", f"one-{action}", name, place], check=True)


if __name__ == "__main__":
    action, *given = sys.argv[1:]
    if action == "text":
        write_text(int(given[0]), Path(given[1]))
    elif action == "tokens":
        write_tokens(int(given[0]), Path(given[1]))
    elif action == "ingest":
        rows("ingest", given[0], given[1:] or list(TOOLS))
    elif action == "formats":
        for ending in given[1:] or ("csv", "parquet", "gz", "zst", "folder"):
            rows("ingest", str(write_as(ending, Path(given[0]))), ["tealeaves"])
    elif action == "count":
        rows("count", given[0], given[1:] or ["1", "2", "local:1", "local:2"])
    else:
        {"one-ingest": ingest, "one-count": count}[action](given[0], Path(given[1]))
