"""The bench over strangers' scripts: every script is a case, and what is said of it is counted fairly."""

import pytest

from bench.rl_blind import HOME, Case, Told, cases, verdict


def test_every_script_is_a_case() -> None:
    files = {str(path.relative_to(HOME)) for path in HOME.glob("*/*.py")}
    assert {case.file for case in cases()} == files
    assert {case.file for case in cases() if not case.causes} == {
        f for f in files if f.endswith("correct.py")
    }


def test_cases_are_chosen_by_how_their_files_begin() -> None:
    assert {case.agent for case in cases(["sac", "dqn/correct"])} == {"sac", "dqn"}
    assert len(cases(["dqn/correct"])) == 1


@pytest.mark.parametrize(
    ("causes", "found", "word"),
    [
        ((), (), "silent"),
        ((), ("discount-broken",), "FALSE ALARM"),
        (("buffer-misaligned",), (), "MISSED"),
        (("buffer-misaligned",), ("buffer-misaligned", "obs-ignored"), "named first"),
        (("buffer-misaligned",), ("obs-ignored", "buffer-misaligned"), "named"),
        (("buffer-misaligned",), ("obs-ignored",), "seen, other name"),
    ],
)
def test_a_verdict_counts_the_place_of_the_right_name(
    causes: tuple[str, ...], found: tuple[str, ...], word: str
) -> None:
    assert verdict(Told(Case("agent/file.py", causes), found)) == word
