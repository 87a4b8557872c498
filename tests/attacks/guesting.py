"""Runs a guest alone and under `sleuth watch`, and says in what the two differ."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

GUESTS = Path(__file__).parent / "guests"
PATIENCE = 240  # seconds for one run, on a busy machine
ADDRESS = re.compile(rb"0x[0-9a-f]+")


@dataclass(frozen=True)
class Ended:
    """What a run left behind for whoever started it; 128 + the signal where one ended it, as in shells."""

    code: int
    out: bytes
    err: bytes


def run(words: list[str], folder: Path, environment: Mapping[str, str]) -> Ended:
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, timeout=PATIENCE, check=False
    )
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return Ended(code, done.stdout, done.stderr)


def alone(guest: str, folder: Path, environment: Mapping[str, str] | None = None) -> Ended:
    folder.mkdir()
    return run(
        [sys.executable, str(GUESTS / f"{guest}.py"), "--word"], folder, {**os.environ, **(environment or {})}
    )


def watched(
    guest: str, folder: Path, level: str = "default", environment: Mapping[str, str] | None = None
) -> Ended:
    folder.mkdir()
    words = [sys.executable, "-m", "sleuth", "watch", "--quiet", "--level", level]
    home = {"SLEUTH_HOME": str(folder.with_name(f"{folder.name}-home"))}
    return run(
        [*words, str(GUESTS / f"{guest}.py"), "--word"], folder, {**os.environ, **(environment or {}), **home}
    )


def differences(bare: Ended, seen: Ended) -> list[str]:
    """Code, standard output to the byte, and the script's own lines on standard error."""
    found = []
    if bare.code != seen.code:
        found.append(f"exit code {seen.code}, not {bare.code}")
    if bare.out != seen.out:
        found.append(f"standard output {seen.out!r}, not {bare.out!r}")
    if not _own_lines(seen.err).startswith(_own_lines(bare.err)):
        found.append(f"standard error {seen.err!r}, not {bare.err!r}")
    return found


def _own_lines(err: bytes) -> bytes:
    kept = [line for line in err.splitlines(keepends=True) if not line.startswith(b"sleuth: ")]
    return ADDRESS.sub(b"", b"".join(kept))


def files_of(folder: Path) -> dict[str, bytes]:
    """What a guest wrote into its working folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
