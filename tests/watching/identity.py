"""A script run alone and watched, in forked children of one process: everything it computed, compared.

`python -m tests.watching.identity [FOLDER ...]` compares every script of the zoo, or of these folders.
"""

import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from bench import repair
from bench.zoo import ZOO

PATIENCE = 240  # seconds for one run


@dataclass(frozen=True)
class Outcome:
    """What a run left behind: exit code, standard output, losses, weights and random streams as digests."""

    code: int
    output: str
    losses: str
    steps: int
    weights: str
    random: str


def scripts(*chosen: Path) -> list[Path]:
    """Those of the zoo that train, repaired twins among them; the snippets do not."""
    found = [path for one in chosen or (ZOO,) for path in ([one] if one.is_file() else _below(one))]
    return [path for path in found if "snippets" not in path.parts]


def _below(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.rglob("*.py"))
    for patch in sorted(folder.rglob(repair.PATCH)):
        twin = repair.repaired(patch.parent)
        yield from sorted([*twin.glob("fixed.py"), *twin.glob("fixed/**/*.py")])


def alone_and_watched(script: Path, level: str = "default") -> tuple[Outcome | None, Outcome | None]:
    """None where a run took too long."""
    with tempfile.TemporaryDirectory() as scratch:
        return _run(script, Path(scratch, "alone"), None), _run(script, Path(scratch, "watched"), level)


def _run(script: Path, folder: Path, level: str | None) -> Outcome | None:
    folder.mkdir()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        _in_child(script, folder, level)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None
    return Outcome(**json.loads((folder / "outcome.json").read_text()))


def _in_child(script: Path, folder: Path, level: str | None) -> None:
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", buffering=1) for number in (1, 2))
    os.chdir(folder)
    _seed()
    losses, weights = _losses(), _weights()
    recorder = None
    if level is not None:
        from sleuth.watching.install import install

        recorder = install(folder / "record.jsonl", level=level)
    code = _executed(script)
    if recorder is not None:
        recorder.close()
    sys.stdout.flush()
    outcome = {
        "code": code,
        "output": _digest([(folder / "stdout").read_bytes()]),
        "losses": _digest(repr(loss).encode() for loss in losses),
        "steps": len(losses),
        "weights": _digest(weights),
        "random": _digest(_random()),
    }
    (folder / "outcome.json").write_text(json.dumps(outcome))
    os._exit(0)


def _executed(script: Path) -> int:
    module = ModuleType("__main__")
    module.__file__ = str(script)
    sys.modules["__main__"], sys.argv, sys.path[0] = module, [str(script)], str(script.parent)
    try:
        exec(compile(script.read_bytes(), str(script), "exec"), vars(module))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _losses() -> list[float | None]:
    """Filled with what is handed to every backward call, bit for bit."""
    import torch

    original: Any = torch.Tensor.backward
    seen: list[float | None] = []

    def backward(self: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(self.item() if self.numel() == 1 else None)
        return original(self, *args, **kwargs)

    torch.Tensor.backward = backward  # type: ignore[method-assign]
    return seen


def _weights() -> list[bytes]:
    """Filled with the bits of all parameters after every optimizer step: most models are gone at the end."""
    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook

    seen: list[bytes] = []

    def stepped(optimizer: Any, args: Any, kwargs: Any) -> None:
        parts = [part for group in optimizer.param_groups for part in group["params"]]
        bits = [part.detach().contiguous().reshape(-1).view(torch.uint8) for part in parts]
        seen.append(hashlib.blake2b(torch.cat(bits).numpy().tobytes(), digest_size=8).digest())

    register_optimizer_step_post_hook(stepped)
    return seen


def _seed() -> None:
    import numpy as np
    import torch

    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


def _random() -> Iterator[bytes]:
    import numpy as np
    import torch

    yield torch.get_rng_state().numpy().tobytes()
    yield repr(random.getstate()).encode()
    yield repr(np.random.get_state()).encode()


def _digest(parts: Any) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part)
    return whole.hexdigest()[:16]


def compare(chosen: list[Path]) -> int:
    """Prints a line for each script; the number that differ."""
    import torch

    import sleuth.watching as recorder

    torch.set_num_threads(1)
    for part in iter_modules(recorder.__path__):  # the children find everything loaded
        import_module(f"sleuth.watching.{part.name}")
    different = slow = 0
    for script in chosen:
        alone, watched = alone_and_watched(script)
        word = "same" if alone == watched else "DIFFERENT"
        if alone is None or watched is None:
            word, slow = "too slow", slow + 1
        elif alone != watched:
            different += 1
        print(word, alone.steps if alone else "", os.path.relpath(script, ZOO), flush=True)
        if word == "DIFFERENT":
            print(alone, watched, sep="\n", flush=True)
    print(f"{len(chosen)} scripts, {different} different, {slow} not compared (too slow)", flush=True)
    return different


if __name__ == "__main__":
    sys.exit(bool(compare(scripts(*(Path(name).resolve() for name in sys.argv[1:])))))
