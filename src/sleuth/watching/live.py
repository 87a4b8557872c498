"""The status line of a watched run: its vital signs, and a warning when something certain happens."""

import json
import os
import shutil
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sleuth.terminal import harmless

BETWEEN = 0.5  # seconds between two looks at the record
NEVER = 60.0  # seconds without a backward call after which it is said
FIRST = 3  # steps after which a first look is over
STEP = '{"kind":"step"'
PATIENCE = 5.0  # seconds that a warning waits for the script to end its line
SEEN = {
    "model": "models called",
    "optimizer": "optimizers made",
    "loss_call": "loss calls",
    "loader": "data loaders",
}


@dataclass
class Live:
    """Reads the record as it grows. Warns on standard error; draws the status line on a terminal only."""

    record: Path
    drawing: bool
    offset: int = 0
    torn: str = ""
    last: dict[str, Any] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)  # kinds of lines so far
    modal: set[int] = field(default_factory=set)  # models whose output depends on their mode
    held: set[str] = field(default_factory=set)  # models that an optimizer has held so far
    drawn: bool = False
    looked_at: float = 0.0
    began: float = field(default_factory=time.monotonic)
    told_never: bool = False
    at_line_start: bool = True
    said: dict[str, None] = field(default_factory=dict)
    to_say: list[tuple[float, str]] = field(default_factory=list)

    def look(self) -> None:
        now = time.monotonic()
        if now - self.looked_at < BETWEEN:
            return
        self.looked_at = now
        for item in self._new():
            self._take(item)
        if not self.last and now - self.began > NEVER and not self.told_never:
            self.told_never = True
            self._warn(f"no backward call seen in {NEVER:.0f} s; {self._so_far()}.")
        self._say(now)
        if self.at_line_start and self.drawing:
            self._draw(self.line())

    def finish(self) -> None:
        """The last look, when the script has ended."""
        self.looked_at, self.drawing = 0.0, False
        self.look()
        self._say(float("inf"))
        self.clear()

    def clear(self) -> None:
        if self.drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self.drawn = False

    def line(self) -> str:
        """The vital signs in one line."""
        seconds = time.monotonic() - self.began
        if not self.last:
            return f"sleuth: {seconds:.0f} s, no optimizer step yet; {self._so_far()}"
        step = self.last
        parts = [f"step {step.get('n', 0) + 1}"]
        for key, word in (("loss", "loss"), ("grad_norm", "gradient"), ("lr", "lr")):
            if isinstance(step.get(key), (int, float)):
                parts.append(f"{word} {step[key]:.4g}")
        if step.get("update_norm") is not None and step.get("weight_norm"):
            parts.append(f"update/weight {step['update_norm'] / step['weight_norm']:.1e}")
        if step.get("total_s"):
            parts.append(f"{step['total_s'] * 1000:.0f} ms")
        return "sleuth: " + " · ".join(parts)

    def _new(self) -> list[dict[str, Any]]:
        with suppress(OSError):
            with self.record.open("rb") as file:
                file.seek(self.offset)
                text = file.read()
            self.offset += len(text)
            lines = (self.torn + text.decode("utf-8", "replace")).split("\n")
            self.torn = lines.pop()
            return [found for line in self._telling(lines) if (found := _parsed(line)) is not None]
        return []

    def _telling(self, lines: list[str]) -> list[str]:
        """Of the steps only the first ones of all, and the last that came: the others need not be parsed."""
        steps = [line for line in lines if line.startswith(STEP)]
        early = steps[: max(0, FIRST + 1 - self.seen["step"])]
        measured = [line for line in steps if '"grad_norm"' in line]
        others = [line for line in lines if not line.startswith(STEP)]
        return [*others, *early, *(line for line in (*measured[-1:], *steps[-1:]) if line not in early)]

    def _take(self, item: dict[str, Any]) -> None:
        self.seen[item["kind"]] += 1
        if item["kind"] == "model" and item.get("mode_matters"):
            self.modal.add(item["id"])
        if item["kind"] == "step":
            kept = {key: self.last.get(key) for key in ("grad_norm", "update_norm", "weight_norm")}
            self.last = kept | item
        if sentence := certain(item, bool(self.modal), frozenset(self.held)):
            self._warn(sentence)
        self.held |= (item.get("of_models") or {}).keys()

    def _warn(self, sentence: str) -> None:
        if sentence not in self.said:
            self.said[sentence] = None
            self.to_say.append((time.monotonic(), sentence))

    def _say(self, now: float) -> None:
        """Between two lines of the script, or after a while where it ends none."""
        if not self.to_say or (not self.at_line_start and now - self.to_say[0][0] < PATIENCE):
            return
        self.clear()
        start = "" if self.at_line_start else "\n"
        sys.stderr.write(start + "".join(f"sleuth: {harmless(sentence)}\n" for _, sentence in self.to_say))
        sys.stderr.flush()
        self.to_say, self.at_line_start = [], True

    def _so_far(self) -> str:
        """What was seen of a run that does not train yet."""
        found = [f"{self.seen[kind]} {word}" for kind, word in SEEN.items() if self.seen[kind]]
        return "seen so far: " + (
            ", ".join(found) or ("torch was imported" if self.seen["run"] else "nothing")
        )

    def _draw(self, text: str) -> None:
        width = shutil.get_terminal_size().columns
        sys.stderr.write("\r\x1b[K\x1b[2m" + harmless(text)[: max(10, width - 1)] + "\x1b[0m")
        sys.stderr.flush()
        self.drawn = True


def certain(item: dict[str, Any], modal: bool = False, held: frozenset[str] = frozenset()) -> str:
    """What needs no statistics: said the moment it is seen.

    `modal`: a model here depends on its mode. `held`: models that some optimizer held before.
    """
    kind = item["kind"]
    if kind == "nonfinite":
        made = f" made by {item['operation']}" if item.get("operation") else ""
        inside = f" in module {item['module']}" if item.get("module") else ""
        place = f" at {os.path.basename(item.get('path', ''))}:{item['line']}" if item.get("line") else ""
        return f"step {item['n']}: the first non-finite value{made}{inside}{place}."
    if kind == "holding" and item.get("missing") and not _is_over(item, held):
        # Parameters of its own alone are no fault: a function may be fitted, or a model be compiled away.
        if item.get("foreign") and not item.get("of_models"):
            return f"Optimizer {item['optimizer']} holds no parameter of the model that is trained."
        return f"{len(item['missing'])} trainable parameters are in no optimizer ({item['missing'][0]}, ...)."
    if kind == "step" and item.get("n") == 0 and item.get("backwards", 0) == 0:
        return f"The optimizer stepped at line {item.get('line', 0)} before any backward call."
    finite = not isinstance(item.get("loss"), str)  # what is not stands as a word, and was told of
    if kind == "step" and item.get("n", 9) < FIRST and item.get("grad_norm_at_step") == 0 and finite:
        return f"No gradient reaches the parameters that the optimizer of line {item.get('line', 0)} holds."
    if kind == "step" and item.get("n") == FIRST and item.get("training") is False and modal:
        return f"The model is trained in eval mode (step at line {item.get('line', 0)})."
    return ""


def _is_over(holding: dict[str, Any], held: frozenset[str]) -> bool:
    """Whether the model without an optimizer had one before: its training ended, and another's began."""
    model = str(holding.get("missing_model", 0))
    return model in held and model not in (holding.get("of_models") or {})


def _parsed(line: str) -> dict[str, Any] | None:
    with suppress(ValueError):
        found = json.loads(line)
        if isinstance(found, dict) and "kind" in found:
            return found
    return None
