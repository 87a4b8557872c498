"""A small map with its evidence, and the ways in which such files reach us."""

from pathlib import Path

import pytest

SEED = Path(__file__).resolve().parents[3] / "shared" / "seeds" / "000_bb78429d0dac2304.txt"
needs_seed = pytest.mark.skipif(not SEED.is_file(), reason="the scraped map is not at hand")

SMALL = """===
title: Kettles
model:
    mode: strict
===

// Why the kettle is slow. 2 arguments, 3 quotes.

[Descale]: A slow kettle should be descaled first.
  + <Scale Slows>
  - <Mains Weak>

# For it

<Scale Slows>

(1) [Ada Measures]: Ada timed kettles before and after. #observation
    [Ada Byron 1843 - Notes on Kettles](https://example.org/notes)
    [evidence](evidence/notes.md#L3-L4)
    > The scaled kettle took **eleven minutes** to boil,
    > and four after the lime was gone.
    {reason: "she timed it herself", credence: 0.80}

(2) [Bob Repeats]: Bob got the same in item #12 of his list. #observation
    [Bob 2001, A list](https://example.org/list)
    [evidence](evidence/list.md#L2)
    > 12. Descale it... it boils again
    {reason: "independent of Ada", credence: 0.70}
----
(3) [Scale Matters]: Two independent people saw scale slow a kettle.
    {reason: "two reports that agree", inference: 0.90}
    +> [Descale]

# Against it

<Mains Weak>

(1) [Low Voltage]: In old houses the mains are weak. #assumption
    {reason: "heard from a neighbour", credence: 0.50}
----
(2) [Wires First]: The wires may be to blame.
    {reason: "rarely so", inference: 0.40}
    -> [Descale]
"""

NOTES = """# Notes

The scaled kettle took eleven minutes to boil, and
four after the lime was gone. Nobody was harmed.
"""
LIST = """A list of mine
12. Descale it, with patience, and it boils again
"""


def write_small(folder: Path, text: str = SMALL) -> Path:
    """The map and its evidence as files."""
    (folder / "evidence").mkdir(exist_ok=True)
    (folder / "evidence" / "notes.md").write_text(NOTES, "utf-8")
    (folder / "evidence" / "list.md").write_text(LIST, "utf-8")
    path = folder / "kettle.argdown"
    path.write_text(text, "utf-8")
    return path


def scraped(text: str) -> str:
    """The same text as a code-hosting page gives it: bars after every line, indentation lost."""
    rows = [part for line in text.rstrip("\n").split("\n") for part in (line.strip(), "|", "||")]
    return "\n".join(["mirror of", "https://example.org/x.git", "3 KiB", *(row for row in rows if row), ""])
