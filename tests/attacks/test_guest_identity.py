"""A watched guest prints, computes and ends as it does alone: bit for bit, at every level."""

import os
import sys
from pathlib import Path

import pytest

from tests.attacks.guesting import GUESTS, alone, differences, files_of, run, watched
from tests.attacks.tally import tally

NAMES = sorted(path.stem for path in GUESTS.glob("*.py") if path.stem not in ("digest", "introspection"))
LEVELS = ("default", "full", "deep")
SAMPLE = [("random_streams", "full"), ("descriptors", "default"), ("silent_streams", "deep")]
# How Python itself may be asked to run: by its own flags in the environment.
MODES = {
    "optimized": {"PYTHONOPTIMIZE": "2"},
    "development": {"PYTHONDEVMODE": "1"},
    "warnings are errors": {"PYTHONWARNINGS": "error::UserWarning,error::RuntimeWarning"},
    "unbuffered": {"PYTHONUNBUFFERED": "1"},
    "hash seed": {"PYTHONHASHSEED": "7"},
}
IN_MODES = ("random_streams", "own_gradients", "monkeypatched", "error_in_backward", "copies")


def compared(guest: str, level: str, folder: Path, mode: str = "") -> None:
    environment = MODES[mode] if mode else {}
    bare = alone(guest, folder / "alone", environment)
    seen = watched(guest, folder / "watched", level, environment)
    found = differences(bare, seen)
    if files_of(folder / "alone") != files_of(folder / "watched"):
        found.append("other files")
    tally(f"a guest that looks closely, level {level}", 1, int(bool(found)))
    assert not found, found


@pytest.mark.parametrize(("guest", "level"), SAMPLE)
def test_a_guest_is_not_disturbed(guest: str, level: str, tmp_path: Path) -> None:
    compared(guest, level, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("guest", NAMES)
def test_no_guest_is_disturbed(guest: str, level: str, tmp_path: Path) -> None:
    compared(guest, level, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("guest", IN_MODES)
def test_nor_in_another_mode_of_python(guest: str, mode: str, tmp_path: Path) -> None:
    compared(guest, "full", tmp_path, mode)


def test_a_guest_that_differs_is_noticed(tmp_path: Path) -> None:
    bare = alone("exit_words", tmp_path / "alone")
    other = alone("exit_number", tmp_path / "other")
    assert len(differences(bare, other)) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "flags", [["-O"], ["-X", "dev"], ["-W", "error::UserWarning"], ["-B", "-u"]], ids=" ".join
)
def test_flags_of_python_may_stand_in_the_command(flags: list[str], tmp_path: Path) -> None:
    guest = str(GUESTS / "processes.py")
    (tmp_path / "alone").mkdir()
    (tmp_path / "watched").mkdir()
    bare = run([sys.executable, *flags, guest], tmp_path / "alone", os.environ)
    command = [sys.executable, "-m", "sleuth", "watch", "-q", "python", *flags, guest]
    seen = run(command, tmp_path / "watched", {**os.environ, "SLEUTH_HOME": str(tmp_path / "home")})
    assert differences(bare, seen) == []
    assert b"8 optimizer steps" in seen.err


def test_an_interpreter_that_ignores_its_environment_is_said_to(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("print('hello')\n")
    command = [sys.executable, "-m", "sleuth", "watch", "-q", "python", "-I", "plain.py"]
    seen = run(command, tmp_path, {**os.environ, "SLEUTH_HOME": str(tmp_path / "home")})
    assert (seen.code, seen.out) == (0, b"hello\n")
    assert b"Nothing was recorded" in seen.err
