"""Well-kept code to read: packages from the index, unpacked once, never installed or imported."""

import subprocess
import sys
import zipfile
from pathlib import Path

from bench.zoo import ROOT

FOLDER = ROOT / ".bench" / "corpus"

# Pinned: line numbers in `reviewed.toml` belong to these releases.
PACKAGES = {
    "stable-baselines3": "2.9.2",
    "sb3-contrib": "2.9.2",
    "timm": "1.0.30",
    "pytorch-ignite": "0.5.5",
    "skorch": "1.4.0",
    "lightning": "2.6.6",
    "accelerate": "1.15.0",
    "torchrl": "0.14.1",
    "transformers": "5.22.2",
    "torch-geometric": "2.8.1",
    "trl": "1.16.0",
    "diffusers": "0.42.1",
    "peft": "0.21.2",
    "torchmetrics": "1.9.0",
    "pytorch-metric-learning": "2.9.0",
    "catalyst": "22.4",
}


def unpacked() -> list[Path]:
    """The folders of all packages that can be had; what is missing is fetched first."""
    return [folder for name, version in PACKAGES.items() if (folder := _folder(name, version)) is not None]


def _folder(name: str, version: str) -> Path | None:
    folder = FOLDER / f"{name}-{version}"
    if folder.is_dir():
        return folder
    FOLDER.mkdir(parents=True, exist_ok=True)
    fetch = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run([*fetch, "-d", str(FOLDER), f"{name}=={version}"], check=False)
    wheel = next(FOLDER.glob(f"{name.replace('-', '_')}-{version}-*.whl"), None)
    if done.returncode != 0 or wheel is None:
        return None
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    wheel.unlink()
    return folder
