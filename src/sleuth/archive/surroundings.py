"""The machine, the interpreter, the packages and the settings a run was made with."""

import os
import platform
import socket
import sys
from contextlib import suppress
from typing import Any

# Settings that change what a training run computes or how fast; anything else is nobody's business.
TELLING = (
    "CUDA_ CUBLAS_ CUDNN_ NVIDIA_ HIP_ ROCR_ NCCL_ GLOO_ OMP_ MKL_ OPENBLAS_ KMP_ NUMEXPR_ TORCH PYTORCH_ "
    "PYTHON XLA_ JAX_ TF_ HF_ TRANSFORMERS_ TOKENIZERS_ WANDB_MODE WORLD_SIZE RANK LOCAL_ MASTER_ SLURM_JOB "
    "VIRTUAL_ENV CONDA_DEFAULT_ENV ACCELERATE_ LD_LIBRARY_PATH LD_PRELOAD SLEUTH_"
).split()
SECRET = {"TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "PASS", "CREDENTIALS", "AUTH"}


def machine() -> dict[str, Any]:
    return {
        "host": socket.gethostname(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "memory": _memory(),
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "executable": sys.executable,
    }


def settings() -> dict[str, str]:
    """Telling environment variables, those that look like secrets left out."""
    return {
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith(tuple(TELLING)) and not SECRET & set(name.split("_"))
    }


def packages() -> dict[str, str]:
    """Name → version, from the names of the folders that installers leave beside each package.

    `importlib.metadata` reads every package's file instead: the same answer, some hundred times slower.
    """
    found: dict[str, str] = {}
    for place in reversed(sys.path):  # the first place on the path wins, as in an import
        with suppress(OSError):
            for entry in os.listdir(place or "."):
                stem, dot, kind = entry.rpartition(".")
                if dot and kind in ("dist-info", "egg-info"):
                    name, _, version = stem.partition("-")
                    found[name.replace("_", "-").lower()] = version.partition("-")[0]
    return dict(sorted(found.items()))


def _memory() -> int | None:
    with suppress(ValueError, OSError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None
