"""What a script that looks for it can see of Sleuth is what the page says, and no more."""

import os
import sys
from pathlib import Path

from sleuth.watching.process import environment
from tests.attacks.guesting import GUESTS, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "watch.md"


def told() -> list[str]:
    """The names of the page's list, up to the colon."""
    section = PAGE.read_text("utf-8").partition("## What a script can see of it")[2].partition("\n## ")[0]
    return [line[2:].partition(":")[0] for line in section.splitlines() if line.startswith("- ")]


def seen(folder: Path, watched: bool) -> dict[str, str]:
    folder.mkdir()
    plain = {
        name: value for name, value in os.environ.items() if not name.startswith(("SLEUTH_", "PYTHONPATH"))
    }
    env = environment(folder.with_suffix(".jsonl"), "default", plain) if watched else plain
    done = run([sys.executable, str(GUESTS / "introspection.py"), "--word"], folder, env)
    return dict(line.split(": ", 1) for line in done.out.decode().splitlines())


def test_the_page_lists_what_can_be_seen(tmp_path: Path) -> None:
    bare, watched = seen(tmp_path / "alone", False), seen(tmp_path / "watched", True)
    assert len(bare) > 25
    assert [name for name, what in bare.items() if watched[name] != what] == told()
