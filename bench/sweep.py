"""Sweeps: speed and memory against a plain pandas groupby in the same run, start-up, and the rates of
error.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.lint import best
from bench.sweep_errors import table as error_rows

VALUES, SEEDS = 10, 50  # of each group; a million runs are 2,000 sweeps

# What a user would write: z within (group, seed), then mean, sd, t, quantiles by value, and the trend's r.
# Built-in transforms throughout; a lambda in transform costs two hundred times as much.
PANDAS = """
import pandas as pd
frame = pd.read_parquet({path!r})
cells = frame.groupby(["group", "seed"])["acc"]
frame["z"] = (frame["acc"] - cells.transform("mean")) / cells.transform("std")
by = frame.groupby(["group", "lr"])
result = by["z"].agg(["mean", "std", "count"])
result["t"] = result["mean"] / (result["std"] / result["count"] ** 0.5)
result["raw"] = by["acc"].mean()
result["q10"], result["q90"] = by["acc"].quantile(0.1), by["acc"].quantile(0.9)
frame["xz"], frame["xx"], frame["zz"] = frame["lr"] * frame["z"], frame["lr"] ** 2, frame["z"] ** 2
s = frame.groupby("group")[["lr", "z", "xz", "xx", "zz"]].mean()
r = (s["xz"] - s["lr"] * s["z"]) / ((s["xx"] - s["lr"] ** 2) * (s["zz"] - s["z"] ** 2)) ** 0.5
"""
SLEUTH = """
from pathlib import Path
from sleuth.sweeping.analysis import Request, analyze
from sleuth.sweeping.columns import Asked
from sleuth.sweeping.read import read_file
result = analyze(read_file(Path({path!r})), Request(Asked("lr", "acc", "seed", "group")))
"""
PEAK = """
import resource
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@dataclass(frozen=True)
class Speed:
    """Whole processes, import included: processor seconds and peak megabytes."""

    runs: int
    sleuth: float
    pandas: float
    sleuth_memory: float
    pandas_memory: float


def make_runs(path: Path, runs: int) -> None:
    """A parquet file of sweeps without any effect."""
    import numpy as np
    import polars

    each = VALUES * SEEDS
    source = np.random.default_rng(0)
    place = np.arange(runs)
    frame = polars.DataFrame(
        {
            "group": [f"g{at}" for at in (place // each).tolist()],
            "lr": (place // SEEDS % VALUES + 1) / 10,
            "seed": place % SEEDS,
            "batch_size": np.full(runs, 32),
            "acc": source.standard_normal(runs) + (place % SEEDS) * 0.1,
        }
    )
    frame.sample(fraction=1.0, shuffle=True, seed=1).write_parquet(path)


def speed(runs: int) -> Speed:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.parquet"
        make_runs(path, runs)
        codes = {"sleuth": SLEUTH.format(path=str(path)), "pandas": PANDAS.format(path=str(path))}
        seconds = best({name: partial(_run, code) for name, code in codes.items()})
        memory = {name: float(_run(code + PEAK).split()[-1]) for name, code in codes.items()}
    return Speed(runs, seconds["sleuth"], seconds["pandas"], memory["sleuth"], memory["pandas"])


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def start() -> float:
    """`sleuth sweep analyze` on a small CSV against starting Python and importing numpy."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.csv"
        lines = [f"{value},{seed},{value * 0.1 + seed * 0.01}" for value in (1, 2, 3) for seed in range(5)]
        path.write_text("\n".join(["lr,seed,acc", *lines]) + "\n")
        words = [
            sys.executable,
            "-m",
            "sleuth",
            "sweep",
            "analyze",
            str(path),
            "--param",
            "lr",
            "--metric",
            "acc",
        ]
        seconds = best(
            {
                "numpy": lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True),
                "analyze": lambda: subprocess.run(words, check=False, stdout=subprocess.DEVNULL),
            }
        )
    return seconds["analyze"] / seconds["numpy"]


def rows() -> Iterator[tuple[str, str, str]]:
    for runs in (10_000, 100_000, 1_000_000):
        took = speed(runs)
        yield "sweep", f"{runs:,} runs: time against a pandas groupby", f"{took.sleuth / took.pandas:.2f}×"
        yield (
            "sweep",
            f"{runs:,} runs: peak memory against pandas",
            f"{took.sleuth_memory / took.pandas_memory:.2f}×",
        )
    yield "sweep", "analyze a small CSV, against `import numpy`", f"{start():.1f}×"
    yield from error_rows()
