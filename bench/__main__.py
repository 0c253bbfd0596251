"""Time tealeaves beside its peers: `python -m bench [million tokens …]` (default 3 and 30).

Peers slower than a million tokens a second are timed on fewer tokens; what is compared is tokens a second.
"""

import json
import subprocess
import sys

MEASURES = ("c_v", "c_npmi", "u_mass")
SIZES = ((50, 10), (200, 20), (500, 20))
PEERS = {"gensim": 300_000, "tomotopy": 300_000, "topica": 3_000_000}  # at most this many tokens


def run(tool: str, measure: str, tokens: int, k: int, n: int) -> dict | None:
    """What ``bench.one`` says; None where the tool fails or takes too long."""
    call = [sys.executable, "-m", "bench.one", tool, measure, str(tokens), str(k), str(n)]
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=600, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"{tool} {measure} {tokens} {k} {n}: {error}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def line(found: dict, ours: float | None = None) -> str:
    """A row of the table; the ratio is of tokens a second."""
    speed = found["tokens"] / found["seconds"]
    ratio = f"{ours / speed:,.0f}" if ours else ""
    size = f"{found['k']} × {found['n']} | {found['tokens'] / 1e6:g}M"
    cost = f"{found['seconds']:.2f} | {found['cpu']:.2f} | {speed / 1e6:,.2f}M | {found['peak_mb']:,}"
    return f"| {found['tool']} | {found['measure']} | {size} | {cost} | {ratio} |"


def main(millions: list[float]) -> None:
    """Print one table."""
    print("| tool | measure | K × n | tokens | s | CPU s | tokens/s | peak MB | tealeaves is faster by |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for million in millions:
        for k, n in SIZES:
            for measure in (*MEASURES, "all three"):
                ours = run("tealeaves", measure, int(million * 1e6), k, n)
                if ours is None:
                    continue
                print(line(ours), flush=True)
                if measure not in MEASURES or k > 50 or million != millions[0]:
                    continue
                speed = ours["tokens"] / ours["seconds"]
                from_lists = run("tealeaves_lists", measure, int(million * 1e6), k, n)
                if from_lists:
                    print(line(from_lists), flush=True)
                for peer, most in PEERS.items():
                    found = run(peer, measure, min(most, int(million * 1e6)), k, n)
                    if found:
                        print(line(found, speed), flush=True)


if __name__ == "__main__":
    main([float(x) for x in sys.argv[1:]] or [3.0, 30.0])
