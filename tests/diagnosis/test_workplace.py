"""Where a script is run: what it reads it finds, what it writes never reaches the user's own folders."""

import os
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sleuth.lab import workplace
from sleuth.lab.client import Stage
from sleuth.lab.job import Ending, Job
from sleuth.lab.workplace import Workplace, in_place, scratch_copy, writes_files


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """proj/{data,scripts,out} with a mark of its top, in a folder with a neighbour."""
    made = tmp_path / "home" / "proj"
    for name in ("data", "scripts", "out", ".cache"):
        (made / name).mkdir(parents=True)
    (made / "pyproject.toml").write_text("")
    (made / "data" / "x.txt").write_text("data")
    (made / "out" / "best.txt").write_text("earlier")
    (tmp_path / "home" / "neighbour").mkdir()
    (made / "scripts" / "train.py").write_text("")
    return made


def copied(script: Path, folder: Path, scratch: Path) -> Workplace:
    scratch.mkdir(exist_ok=True)
    return scratch_copy(script, folder, str(scratch), "base")


def at(place: Workplace, path: str) -> Path:
    return Path(place.folder) / path


def test_what_stands_above_is_found_from_the_copy(project: Path, tmp_path: Path) -> None:
    place = copied(project / "scripts" / "train.py", project / "scripts", tmp_path / "scratch")
    assert at(place, "../data/x.txt").read_text() == "data"
    assert (Path(place.script).parent.parent / "data" / "x.txt").read_text() == "data"
    assert place.original(place.script) == str(project / "scripts" / "train.py")
    assert place.original(str(at(place, "..").resolve() / "lib" / "m.py")) == str(project / "lib" / "m.py")


def test_a_project_ends_at_its_top_and_hides_what_is_hidden(project: Path, tmp_path: Path) -> None:
    place = copied(project / "scripts" / "train.py", project / "scripts", tmp_path / "scratch")
    assert not at(place, "../../neighbour").exists()
    assert not at(place, "../.cache").exists()
    assert str(project) in place.guarded


def test_without_a_mark_two_levels_are_laid_out(project: Path, tmp_path: Path) -> None:
    (project / "pyproject.toml").unlink()
    place = copied(project / "scripts" / "train.py", project / "scripts", tmp_path / "scratch")
    assert at(place, "../data/x.txt").read_text() == "data"
    assert at(place, "../../neighbour").is_symlink()
    assert not at(place, "../../../scratch").exists()


def test_what_everybody_writes_into_is_never_laid_out(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(project.parent))
    (project / "pyproject.toml").unlink()
    place = copied(project / "scripts" / "train.py", project / "scripts", tmp_path / "scratch")
    assert at(place, "../data/x.txt").is_file()
    assert not at(place, "../../neighbour").exists()


def test_a_home_folder_is_linked_and_stays_open_to_libraries(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    place = copied(project / "scripts" / "train.py", project / "scripts", tmp_path / "scratch")
    assert at(place, "../data").is_symlink()
    assert not any(str(project / "data").startswith(path) for path in place.guarded)


def test_big_neighbours_are_linked_and_guarded(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workplace, "BESIDE_BYTES", 10)
    (project / "data" / "big").write_text("x" * 100)
    place = copied(project / "scripts" / "train.py", project / "scripts", tmp_path / "scratch")
    assert at(place, "../data").is_symlink()
    assert not at(place, "../out").is_symlink()
    assert str(project / "data") in place.guarded


def test_a_linked_folder_of_data_is_there_in_the_copy(project: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "y.txt").write_text("y")
    (project / "scripts" / "set").symlink_to(tmp_path / "elsewhere")
    place = copied(project / "scripts" / "train.py", project / "scripts", tmp_path / "scratch")
    assert at(place, "set/y.txt").read_text() == "y"
    assert str(tmp_path / "elsewhere") in place.guarded


@pytest.mark.parametrize("where", ["proj", "proj/scripts", "proj/out", "apart"])
def test_script_and_folder_stand_to_each_other_as_they_did(project: Path, tmp_path: Path, where: str) -> None:
    home = tmp_path / "home" / where
    home.mkdir(exist_ok=True)
    script = project / "scripts" / "train.py"
    place = copied(script, home, tmp_path / "scratch")
    assert Path(place.script).is_file()
    assert not Path(place.script).is_symlink()
    assert place.folder.startswith(str(tmp_path / "scratch"))
    if where != "apart":
        assert os.path.relpath(place.script, place.folder) == os.path.relpath(script, home)


def test_a_scratch_folder_inside_the_project_is_not_copied_into_itself(project: Path) -> None:
    place = copied(project / "scripts" / "train.py", project, project / "scratch")
    assert at(place, "data/x.txt").is_file()
    assert not at(place, "scratch").exists()


@pytest.mark.parametrize(
    "line",
    [
        "import subprocess\nsubprocess.run('echo hi > f', shell=True)",
        "from subprocess import run\nrun(['cp', 'a', 'b'])",
        "import os\nos.system('touch f')",
        "from os import path, system",
        "torch.save(model, path)",
        "cv2.imwrite('a.png', picture)",
        "args = TrainingArguments('out')",
    ],
)
def test_code_that_writes_is_known_by_its_words(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.py").write_text(line)
    (tmp_path / "b.py").write_text("loss = model(x).sum()\nprocess = 3\nsystem = 'unix'\n")
    assert writes_files([tmp_path / "a.py"])
    assert not writes_files([tmp_path / "b.py"])


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    pytest.importorskip("torch")
    with Stage() as made:
        yield made


class Runs:
    def __init__(self, stage: Stage, project: Path) -> None:
        self.stage, self.project, self.count = stage, project, 0

    def __call__(self, source: str, copy: bool = True) -> tuple[Ending, Workplace]:
        self.count += 1
        name = f"{self.project.parents[1].name}-{self.count}"
        script = self.project / "scripts" / "train.py"
        script.write_text(textwrap.dedent(source))
        folder = self.project / "scripts"
        place = scratch_copy(script, folder, self.stage.scratch, name) if copy else in_place(script, folder)
        job = Job(name, place.script, folder=place.folder, guarded=place.guarded)
        (ending,) = self.stage.run([replace(job, time_limit=120.0)])
        return ending, place


@pytest.fixture
def run(stage: Stage, project: Path) -> Runs:
    return Runs(stage, project)


def test_a_script_reads_and_writes_above_itself_in_the_copy_alone(run: Runs) -> None:
    ending, place = run(
        """
        import os, torch
        assert open("../data/x.txt").read() == "data"
        assert open(os.path.join(os.path.dirname(__file__), "..", "data", "x.txt")).read() == "data"
        torch.save({"a": torch.ones(2)}, "relative.pt")
        torch.save({"a": torch.ones(2)}, "../out/model.pt")
        os.makedirs("../out", exist_ok=True)
        open("../out/best.txt", "w").write("now")
        os.system("echo hi > spawned")
        """
    )
    assert ending.status == "finished", ending
    assert at(place, "relative.pt").is_file()
    assert at(place, "../out/model.pt").is_file()
    assert at(place, "spawned").read_text() == "hi\n"
    assert (run.project / "out" / "best.txt").read_text() == "earlier"
    assert sorted(entry.name for entry in run.project.rglob("*.pt")) == []
    assert not (run.project / "scripts" / "spawned").exists()


TRICKS = {
    "open": "open(real + '/f', 'w')",
    "torch.save": "torch.save(torch.ones(2), real + '/f')",
    "the old format": "torch.save(torch.ones(2), real + '/f', _use_new_zipfile_serialization=False)",
    "jit": "torch.jit.save(torch.jit.trace(torch.nn.Linear(1, 1), torch.ones(1, 1)), real + '/f')",
    "safetensors": "__import__('safetensors.torch').torch.save_file({'a': torch.ones(2)}, real + '/f')",
    "mkdir": "os.makedirs(real + '/f')",
    "rename": "open('g', 'w').close(); os.rename('g', real + '/f')",
    "link": "os.symlink('/etc', real + '/f')",
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_full_path_into_the_real_folder_is_refused(run: Runs, trick: str) -> None:
    real = run.project / "out"
    ending, _ = run(f"import os, torch\nreal = {str(real)!r}\n{TRICKS[trick]}\n")
    assert ending.status == "wrote", ending
    assert not os.path.lexists(real / "f")


@pytest.mark.parametrize(
    "way",
    ["open('../data/new', 'w')", "os.chdir('../data'); open('new', 'w')", "torch.save(1, '../data/new')"],
)
def test_a_link_does_not_lead_into_the_real_folder(
    run: Runs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(workplace, "BESIDE_BYTES", 2)
    ending, place = run(f"import os, torch\nassert open('../data/x.txt').read()\n{way}\n")
    assert at(place, "../data").is_symlink()
    assert ending.status == "wrote", ending
    assert not (run.project / "data" / "new").exists()


def test_a_link_of_the_users_own_is_guarded_in_place(run: Runs, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (run.project / "scripts" / "link").symlink_to(tmp_path / "elsewhere")
    ending, _ = run("open('link/new', 'w')", copy=False)
    assert ending.status == "wrote", ending
    assert not (tmp_path / "elsewhere" / "new").exists()


def test_torch_saves_nothing_in_place(run: Runs) -> None:
    ending, _ = run("import torch\ntorch.save(torch.ones(2), 'f.pt')", copy=False)
    assert ending.status == "wrote", ending
    assert not (run.project / "scripts" / "f.pt").exists()
