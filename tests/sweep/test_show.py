"""Golden outputs: what a user sees, to the letter. SLEUTH_GOLDEN=1 writes them anew."""

import os
from pathlib import Path

import pytest

from sleuth.show import sweep, sweep_page
from sleuth.sweeping.result import Analysis
from tests.sweep.runs import grid, judged

GOLDEN = Path(__file__).parent / "golden"


def odd_sweep() -> Analysis:
    """An effect, a failed run, a missing one, a confounder, two groups."""
    rows = grid(values=(1, 2, 3, 4), effects={3: 0.2}, group="a", batch_size=32, salt=3)
    rows[0]["acc"] = "nan"
    del rows[7]
    rows[2]["batch_size"] = 64
    return judged([*rows, *grid(values=("adam", "sgd"), group="b", batch_size=128, salt=4)])


@pytest.mark.parametrize("form", ["txt", "html"])
def test_what_is_shown(form: str) -> None:
    shown = sweep.text(odd_sweep()) + "\n" if form == "txt" else sweep_page.page(odd_sweep())
    path = GOLDEN / f"analysis.{form}"
    if "SLEUTH_GOLDEN" in os.environ:
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")


def test_every_picture_stays_within_its_frame() -> None:
    import re

    page = sweep_page.page(odd_sweep())
    for picture in re.findall(r"<svg width='(\d+)' height='([\d.]+)'.*?</svg>", page):
        assert float(picture[0]) > 0
    for x, y in re.findall(r"<circle cx='([-\d.]+)' cy='([-\d.]+)'", page):
        assert 0 <= float(x) <= 460
        assert 0 <= float(y) <= 300
