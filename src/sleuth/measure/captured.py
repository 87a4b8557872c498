"""What is taken out of a training script, and how the script is run meanwhile."""

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from sleuth.measure.fits import Fit

CHUNK = 256  # rows a batch when a whole tensor that the script indexes by hand is served as a loader


@dataclass(frozen=True, eq=False)
class Captured:
    """A training step as a script makes it, taken out so that it can be examined."""

    model: nn.Module
    batch: Any
    step: Callable[[nn.Module, Any], Tensor]
    optimizers: tuple[torch.optim.Optimizer, ...]
    loader: Any
    val_loader: Any
    fits: tuple[Fit, ...] = ()


@dataclass(frozen=True)
class Ending:
    """How the script ended: None when it was stopped or came to its end."""

    steps: int
    error: str | None


@dataclass(frozen=True, eq=False)
class Chunks:
    """Whole tensors, served in pieces as a loader would."""

    tensors: tuple[Tensor, ...]

    def __len__(self) -> int:
        return -(-len(self.tensors[0]) // CHUNK)

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        for start in range(0, len(self.tensors[0]), CHUNK):
            yield tuple(tensor[start : start + CHUNK] for tensor in self.tensors)


class Assembly(nn.Module):
    """Several models, or bare tensors, that one training step uses together."""

    def __init__(self, parts: Sequence[tuple[str, nn.Module]], bare: Sequence[tuple[str, Tensor]]) -> None:
        super().__init__()
        for name, module in parts:
            self.add_module(name, module)
        for name, tensor in bare:
            self._parameters[name] = tensor  # type: ignore[assignment]  # the script's own tensor, not a copy


@contextmanager
def patched(owner: Any, name: str, wrap: Callable[[Any], Any]) -> Iterator[None]:
    original = vars(owner).get(name, getattr(owner, name))  # a class method as such, not bound to its owner
    setattr(owner, name, wrap(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


@contextmanager
def as_main(script: Path, arguments: Sequence[str]) -> Iterator[None]:
    """The script's own arguments and import path; what it prints is not ours to show."""
    argv, path = sys.argv, list(sys.path)
    sys.argv, sys.path[0:0] = [str(script), *arguments], [str(script.parent)]
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.argv, sys.path[:] = argv, path
