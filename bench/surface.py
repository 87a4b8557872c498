"""The surface of a loss: time and memory against a double loop and a plain autograd call; right answers."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import torch
from torch import Tensor

import sleuth
from bench.surface_cases import HEALTHY, SICK, SMOOTH, Loss
from sleuth.loss_surface.axes import Axis, read_axes
from sleuth.loss_surface.calls import adapt
from sleuth.loss_surface.grid import evaluate, slopes_at

STEP = 1e-5  # of an axis, for central differences in float64
PATH = 10_000  # points that the double loop really does; a larger grid is scaled up from them
X, Y = ("pos", -1.0, 1.0), ("neg", -1.0, 1.0)

# Run in a fresh process, so that nothing else has touched the peak before.
MEMORY = """
from pathlib import Path
from bench.surface import X, Y, contrast, plain
import sleuth
def read(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))
sleuth.surface(contrast, X, Y, n=8).findings
Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak starts anew
before = read("VmRSS")
{body}
print(read("VmHWM") - before)
"""


@dataclass(frozen=True)
class Speed:
    """Seconds: loss and slopes on the grid, a plain autograd call, a double loop.

    On top of the grid come the calls that find out how the function is to be called, and the findings when
    they are asked for.
    """

    n: int
    grid: float
    plain: float
    loop: float
    checking: float
    judging: float


def contrast(pos: Tensor, neg: Tensor) -> Tensor:
    """InfoNCE with one positive and three equal negatives: an ordinary loss of a dozen operations."""
    return -torch.log_softmax(torch.stack([pos, neg, neg, neg]) / 0.1, dim=0)[0]


def plain(n: int) -> tuple[Tensor, ...]:
    """What a user would write: one grid, one call, one backward pass."""
    line = torch.linspace(-1, 1, n, dtype=torch.float64)
    grid = torch.meshgrid(line, line, indexing="ij")
    pos, neg = (one.reshape(-1).clone().requires_grad_() for one in grid)
    loss = contrast(pos, neg)
    return loss.detach(), *torch.autograd.grad(loss.sum(), (pos, neg))


def double_loop(points: int) -> None:
    """What a user would write first: two loops, one backward pass a point."""
    side = int(points**0.5)
    for x in torch.linspace(-1, 1, side, dtype=torch.float64):
        for y in torch.linspace(-1, 1, side, dtype=torch.float64):
            pos, neg = x.clone().requires_grad_(), y.clone().requires_grad_()
            torch.autograd.grad(contrast(pos, neg), (pos, neg))


def speed(n: int, rounds: int) -> Speed:
    """Best of several rounds, the contenders taking turns, on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    batched = adapt(contrast, read_axes(X, Y), {})
    try:
        grid, alone = _best(rounds, lambda: evaluate(batched, n), lambda: plain(n))
        (checking,) = _best(20, lambda: adapt(contrast, read_axes(X, Y), {}))
        (judging,) = _best(3, lambda: sleuth.surface(contrast, X, Y, n=n).findings)
        points = min(n * n, PATH)
        (loop,) = _best(1, lambda: double_loop(points))
    finally:
        torch.set_num_threads(threads)
    return Speed(n, grid, alone, loop * n * n / points, checking, judging - grid)


def memory(body: str) -> float:
    """Peak megabytes above what torch and a tiny surface already took, in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY.format(body=body)], capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def slope_error(loss: Loss, n: int = 7) -> float:
    """The largest gap between autograd's slope and a central difference, against the largest slope."""
    axes = read_axes(loss.x, loss.y)
    batched = adapt(loss.function, axes, {})
    import numpy as np

    # Off the ends, and off the diagonal where a branching function has its branch.
    lines = [_inside(axis, n, shift) for axis, shift in zip(axes, (0.07, 0.123), strict=False)]
    points = np.stack([one.ravel() for one in np.meshgrid(*lines, indexing="ij")], axis=1)
    _, slopes = slopes_at(batched, batched.names[-1], points)
    worst = 0.0
    for place, axis in enumerate(axes):
        step = np.zeros(len(axes))
        step[place] = STEP * axis.width
        ahead, behind = (slopes_at(batched, batched.names[-1], points + sign * step)[0] for sign in (1, -1))
        worst = max(worst, float(np.abs((ahead - behind) / (2 * step[place]) - slopes[:, place]).max()))
    return worst / float(np.abs(slopes).max())


def kinds(loss: Loss) -> tuple[str, ...]:
    seen = sleuth.surface(loss.function, loss.x, loss.y, want=loss.want, start=loss.start)
    return tuple(dict.fromkeys(flaw.kind for flaw in seen.findings))


def rows() -> Iterator[tuple[str, str, str]]:
    for n, rounds in ((80, 1000), (1000, 9)):  # a small grid takes half a millisecond: many rounds to be fair
        took = speed(n, rounds)
        size = f"{n}×{n}"
        yield (
            "surface",
            f"{size}: loss and slopes against a plain autograd call (at most 1.3×)",
            f"{took.grid / took.plain:.2f}×",
        )
        yield "surface", f"{size}: loss and slopes against a double loop", f"1/{took.loop / took.grid:.0f}"
        yield (
            "surface",
            f"{size}: on top, finding out how to call the function; the findings, when asked for",
            f"{took.checking * 1e3:.1f} ms; {took.judging * 1e3:.0f} ms",
        )
    ours = memory("kept = sleuth.surface(contrast, X, Y, n=1000)")
    judged = memory("kept = sleuth.surface(contrast, X, Y, n=1000).findings")
    yield "surface", "1000×1000: peak memory, and with the findings", f"{ours:.0f} MB, {judged:.0f} MB"
    yield "surface", "1000×1000: peak memory of the plain call", f"{memory('kept = plain(1000)'):.0f} MB"
    worst = max(slope_error(loss) for loss in SMOOTH)
    yield "surface", f"largest relative slope error on {len(SMOOTH)} functions", f"{worst:.1e}"
    found = sum(kinds(loss) == loss.kinds for loss in SICK)
    yield "surface", "constructed defects found, and no other", f"{found} of {len(SICK)}"
    quiet = sum(not kinds(loss) for loss in HEALTHY)
    yield "surface", "healthy losses without a finding", f"{quiet} of {len(HEALTHY)}"


def _best(rounds: int, *contenders: Callable[[], object]) -> list[float]:
    times: list[list[float]] = [[] for _ in contenders]
    for _ in range(rounds):
        for contender, taken in zip(contenders, times, strict=True):
            started = perf_counter()
            contender()
            taken.append(perf_counter() - started)
    return [min(taken) for taken in times]


def _inside(axis: Axis, count: int, shift: float) -> Sequence[float]:
    import numpy as np

    edge = shift * axis.width
    return [float(value) for value in np.linspace(axis.lo + edge, axis.hi - 1.37 * edge, count)]


if __name__ == "__main__":
    for row in rows():
        print("  ".join(row))
