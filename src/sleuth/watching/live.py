"""The status line of a watched run: its vital signs, and a warning when something certain happens."""

import json
import os
import shutil
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BETWEEN = 0.5  # seconds between two drawings
NEVER = 60.0  # seconds without a backward call after which it is said


@dataclass
class Live:
    """Reads the record as it grows. Draws on the standard error of a terminal only."""

    record: Path
    shown: bool
    offset: int = 0
    torn: str = ""
    last: dict[str, Any] = field(default_factory=dict)
    drawn: bool = False
    drawn_at: float = 0.0
    began: float = field(default_factory=time.monotonic)
    at_line_start: bool = True
    warned: set[str] = field(default_factory=set)
    first_loss: float | None = None

    def look(self) -> None:
        if not self.shown or time.monotonic() - self.drawn_at < BETWEEN:
            return
        self.drawn_at = time.monotonic()
        for item in self._new():
            self._take(item)
        if self.at_line_start:
            self._draw(self.line())

    def clear(self) -> None:
        if self.drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self.drawn = False

    def line(self) -> str:
        """The vital signs in one line."""
        seconds = time.monotonic() - self.began
        if not self.last:
            waited = f"sleuth: {seconds:.0f} s, no optimizer step yet"
            return waited + (" (no training seen so far)" if seconds > NEVER else "")
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
            return [found for line in lines if (found := _parsed(line)) is not None]
        return []

    def _take(self, item: dict[str, Any]) -> None:
        if item["kind"] == "step":
            kept = {key: self.last.get(key) for key in ("grad_norm", "update_norm", "weight_norm")}
            self.last = kept | item
        if sentence := certain(item):
            if sentence not in self.warned:
                self.warned.add(sentence)
                self.clear()
                sys.stderr.write(f"sleuth: {sentence}\n")

    def _draw(self, text: str) -> None:
        width = shutil.get_terminal_size().columns
        sys.stderr.write("\r\x1b[K\x1b[2m" + text[: max(10, width - 1)] + "\x1b[0m")
        sys.stderr.flush()
        self.drawn = True


def certain(item: dict[str, Any]) -> str:
    """What needs no statistics: said the moment it is seen."""
    kind = item["kind"]
    if kind == "nonfinite":
        made = f" made by {item['operation']}" if item.get("operation") else ""
        inside = f" in module {item['module']}" if item.get("module") else ""
        place = f" at {os.path.basename(item.get('path', ''))}:{item['line']}" if item.get("line") else ""
        return f"step {item['n']}: the first non-finite value{made}{inside}{place}."
    if kind == "holding" and item.get("missing"):
        return f"{len(item['missing'])} trainable parameters are in no optimizer ({item['missing'][0]}, ...)."
    if kind == "holding" and item.get("foreign") and not item.get("of_models"):
        return f"Optimizer {item['optimizer']} holds no parameter of the model that is trained."
    if kind == "step" and item.get("n") == 0 and item.get("backwards", 0) == 0:
        return f"The optimizer stepped at line {item.get('line', 0)} before any backward call."
    if kind == "step" and item.get("n", 9) < 3 and item.get("grad_norm_at_step") == 0:
        return f"Step {item['n']}: no gradient reached the parameters."
    return ""


def _parsed(line: str) -> dict[str, Any] | None:
    with suppress(ValueError):
        found = json.loads(line)
        if isinstance(found, dict) and "kind" in found:
            return found
    return None
