"""How quick a study's server is: `python -m bench.study [raters] [seconds] [workers] [database URL]`.

Raters think for about 5 seconds before each answer, as people do; then for as long as they can answer without
thinking, which shows where the server is saturated; then one after the other, for what an answer and a page
cost. Clients run on the same machine and share its cores: they write to a socket and look for a few fields.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from study_client import new_study, word_items
from study_load import AsyncRater, Crowd, Server

THINK = 5.0
ALONE = 5  # raters whose answers and pages are counted one by one, 60 of each


async def thinking(url: str, raters: int, seconds: float) -> tuple[Crowd, Crowd]:
    """What raters saw while they came, one every 20th of a second, and while all were at work."""
    coming, working = Crowd(), Crowd()
    until = time.monotonic() + raters / 20 + seconds

    async def one(i: int) -> None:
        await asyncio.sleep(i / 20)
        rater = AsyncRater(url, coming, seed=i)
        await rater.to_items()
        rater.crowd = working
        await rater.finish(THINK, until=until)

    await asyncio.gather(*(one(i) for i in range(raters)))
    return coming, working


async def saturated(url: str, raters: int, seconds: float) -> Crowd:
    """What raters saw who do not think at all, from when all of them have come."""
    crowd = Crowd()
    came = time.monotonic() + raters / 20
    until = came + seconds

    async def one(i: int) -> None:
        await asyncio.sleep(i / 20)  # one after the other, as people do: who comes at once meets one worker
        rater = AsyncRater(url, Crowd(), seed=1000 + i)
        await rater.to_items()
        await rater.finish(1e-9, until=came)
        rater.crowd = crowd
        await rater.finish(1e-9, until=until)

    await asyncio.gather(*(one(i) for i in range(raters)))
    return crowd


async def apart(server: Server) -> tuple[float, float]:
    """Milliseconds of a core that the server takes for an answer, and for a page."""
    raters = [AsyncRater(server.url, Crowd(), seed=5000 + i) for i in range(ALONE)]
    pages: list[str] = []
    for rater in raters:
        await rater.to_items()
    began = server.cpu_seconds()
    for rater in raters:
        for n in range(1, 61):
            await rater.get(f"/s/study/item/{n}")
            pages.append(rater.html)
    between = server.cpu_seconds()
    for i, rater in enumerate(raters):
        for rater.html in pages[60 * i : 60 * (i + 1)]:
            await rater.confirm(rater.action, rater.filled_in())
    return tuple(1000 * spent / len(pages) for spent in (server.cpu_seconds() - between, between - began))


def row(name: str, crowd: Crowd, seconds: float) -> str:
    """A row of the table."""
    times = " | ".join(f"{1000 * crowd.percentile(p):.0f}" for p in (0.5, 0.95, 0.99, 1))
    wrong = sum(n for status, n in crowd.statuses.items() if status not in (200, 303))
    speed = len(crowd.acknowledged) / seconds
    return f"| {name} | {len(crowd.seconds):,} | {speed:.0f} | {times} | {wrong} |"


def main(raters: int = 200, seconds: float = 60.0, workers: int = 2, database: str | None = None) -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory() as folder:
        study = new_study(
            Path(folder), word_items(150), answers_per_item=10**6, items_per_rater=60, break_every=0
        )
        with Server(study.folder, workers, database) as server:
            coming, working = asyncio.run(thinking(server.url, raters, seconds))
            quick = asyncio.run(saturated(server.url, 60, 10))
            answer, page = asyncio.run(apart(server))
            log = server.log.read_text("utf-8")
    print("| | requests | answers/s | p50 ms | p95 | p99 | worst | errors |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    print(row(f"{raters} raters come in {raters / 20:.0f} s", coming, raters / 20))
    print(row(f"{raters} raters think {THINK:.0f} s", working, seconds + raters / 20))
    print(row("60 raters do not think", quick, 10))
    print(f"of a core, one by one: {answer:.1f} ms an answer, {page:.1f} ms a page")
    print(f"{log.count('locked')} times 'locked' in the log")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*(kind(value) for kind, value in zip((int, float, int, str), given, strict=False)))
