"""`python -m fuzz [--minutes 1] [TARGET ...]`: each target for so long, and what it did."""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from fuzz import CORPUS, TARGETS

SLOWEST, MOST_MEMORY = 30, 2_000  # seconds and MB for one input; more counts as a find


def run(target: str, minutes: float) -> tuple[str, bool]:
    """What happened in one line, and whether something was found; finds are kept beside the corpus."""
    kept = CORPUS / target
    kept.mkdir(parents=True, exist_ok=True)
    limits = (f"-max_total_time={minutes * 60:.0f}", f"-timeout={SLOWEST}", f"-rss_limit_mb={MOST_MEMORY}")
    with tempfile.TemporaryDirectory() as grown:
        command = [
            sys.executable,
            "-m",
            "fuzz.engine",
            target,
            *limits,
            f"-artifact_prefix={kept}/",
            grown,
            str(kept),
        ]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    found = done.returncode != 0
    if found:
        print(done.stderr[-3_000:], file=sys.stderr)
    runs = re.findall(r"^Done (\d+) runs in (\d+) second", done.stderr, re.M) or re.findall(
        r"^#(\d+)\s()", done.stderr, re.M
    )
    count, seconds = runs[-1] if runs else ("?", "")
    spent = f" in {seconds} s" if seconds else ""
    return f"{target}: {count} executions{spent}, {'FOUND' if found else 'nothing found'}", found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    asked = parser.parse_args()
    if unknown := set(asked.targets) - set(TARGETS):
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    failed = False
    for target in asked.targets or TARGETS:
        line, found = run(target, asked.minutes)
        print(line, flush=True)
        failed = failed or found
    return int(failed)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    sys.exit(main())
