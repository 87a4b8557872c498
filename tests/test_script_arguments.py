"""`sleuth VERB SCRIPT ARGS`: which words are Sleuth's and which the script's."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sleuth.cli.running import ScriptCommand, _ours_first

PLAIN = "steps = 100\nprint(steps)\n"
ARGPARSE = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--steps', type=int)\n"
FIELDS = "import tyro\n\nclass Settings:\n    steps: int = 100\n\ntyro.cli(Settings)\n"


SHORT = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('-q')\n"
GETOPT = "import getopt, sys\noptions, rest = getopt.getopt(sys.argv[1:], 'x', ['steps='])\n"


def split(folder: Path, words: list[str]) -> tuple[int | None, str | None, tuple[str, ...]]:
    """What a verb with `--steps` and `--json` gets, and what it hands on."""
    got: list[tuple[int | None, str | None, tuple[str, ...]]] = []

    @click.command("verb", cls=ScriptCommand)
    @click.option("--steps", type=int)
    @click.option("--json", "path")
    @click.option("--quiet", "-q", is_flag=True)
    @click.option("-m", "module")
    @click.argument("script", required=False)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def verb(
        steps: int | None,
        path: str | None,
        quiet: bool,
        module: str | None,
        script: str | None,
        arguments: tuple[str, ...],
    ) -> None:
        got.append((steps, path, (*(("quiet",) if quiet else ()), *arguments)))

    result = CliRunner().invoke(verb, [str(folder / word) if word == "train.py" else word for word in words])
    assert result.exit_code == 0, result.output
    return got[0]


@pytest.mark.parametrize(
    ("source", "words", "expected"),
    [
        (PLAIN, ["train.py", "--lr", "0.1", "--steps", "50", "--json", "-"], (50, "-", ("--lr", "0.1"))),
        (PLAIN, ["train.py", "--steps=50", "--lr", "0.1"], (50, None, ("--lr", "0.1"))),
        (PLAIN, ["train.py", "--quiet"], (None, None, ("quiet",))),
        (PLAIN, ["--steps", "50", "train.py", "-q", "x"], (50, None, ("quiet", "x"))),
        (SHORT, ["train.py", "-q", "x"], (None, None, ("-q", "x"))),
        (PLAIN, ["train.py", "-m", "x", "-v"], (None, None, ("-m", "x", "-v"))),
        (GETOPT, ["train.py", "--steps", "9"], (None, None, ("--steps", "9"))),
        (PLAIN, ["--", "train.py", "--steps", "9"], (None, None, ("--steps", "9"))),
        (ARGPARSE, ["train.py", "--steps", "9", "--json", "out"], (None, "out", ("--steps", "9"))),
        (ARGPARSE, ["--steps", "50", "train.py", "--steps", "9"], (50, None, ("--steps", "9"))),
        (FIELDS, ["train.py", "--steps", "9"], (None, None, ("--steps", "9"))),
        (PLAIN, ["train.py", "--json-lines", "x"], (None, None, ("--json-lines", "x"))),
    ],
)
def test_an_option_behind_the_script_is_the_scripts_only_if_it_has_it(
    tmp_path: Path, source: str, words: list[str], expected: tuple[int | None, str | None, tuple[str, ...]]
) -> None:
    (tmp_path / "train.py").write_text(source)
    assert split(tmp_path, words) == expected


def test_a_file_that_the_script_does_not_import_has_no_say(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PLAIN)
    (tmp_path / "settings.py").write_text(ARGPARSE)
    assert split(tmp_path, ["train.py", "--steps", "9"]) == (9, None, ())


@pytest.mark.parametrize(
    ("source", "words", "told"),
    [
        (ARGPARSE, ["train.py", "--steps", "9"], True),
        (
            ARGPARSE,
            ["--steps", "50", "train.py", "--steps", "9"],
            False,
        ),  # both were given: nothing is unclear
        (PLAIN, ["train.py", "--steps", "9"], False),
        (ARGPARSE, ["--", "train.py", "--steps", "9"], False),
    ],
)
def test_an_option_that_is_left_to_the_script_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], source: str, words: list[str], told: bool
) -> None:
    (tmp_path / "train.py").write_text(source)
    takes = {"--steps": True, "--json": True}
    _ours_first([str(tmp_path / word) if word == "train.py" else word for word in words], takes)
    said = capfd.readouterr().err
    assert said.startswith("sleuth: `--steps` is left to train.py, which takes that itself;") == told
    assert said.count("\n") == told


def test_a_file_that_the_script_imports_may_parse_its_arguments(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("from settings import parsed\n")
    (tmp_path / "settings.py").write_text(ARGPARSE)
    assert split(tmp_path, ["train.py", "--steps", "9"]) == (None, None, ("--steps", "9"))


def test_an_option_without_its_value_is_no_option_of_the_script(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PLAIN)
    result = CliRunner().invoke(
        ScriptCommand("verb", params=[click.Option(["--steps"])]), ["train.py", "--steps"]
    )
    assert (result.exit_code, "'--steps' requires an argument" in result.output) == (2, True)


def test_a_module_gets_all_that_follows(tmp_path: Path) -> None:
    assert split(tmp_path, ["-m", "train", "--steps", "9"])[0] == 9  # before the first of its own
    assert split(tmp_path, ["-m", "train", "x", "--steps", "9"]) == (None, None, ("--steps", "9"))
