"""Which rule a vector environment follows, and what a source seems to assume."""

import pytest

from sleuth.rl.autoreset import remark, words_of

READS_OLD = 'next_obs = infos["final_observation"][0]'
READS_NEW = 'next_obs = infos["final_obs"][0]'
DROPS = "autoreset = terminated | truncated"
SILENT = "obs, reward, terminated, truncated, infos = envs.step(action)"


@pytest.mark.parametrize(
    ("mode", "text", "said"),
    [
        ("NEXT_STEP", READS_OLD, "assumes SAME_STEP"),
        ("NEXT_STEP", READS_NEW, "assumes SAME_STEP"),
        ("NEXT_STEP", DROPS, "seems to know the rule"),
        ("NEXT_STEP", SILENT, "says nothing of it"),
        ("SAME_STEP", READS_OLD, "called final_obs since"),
        ("SAME_STEP", READS_NEW, "as this rule has it"),
        ("SAME_STEP", SILENT, "never reads the final observation"),
        ("DISABLED", 'envs.reset(options={"reset_mask": ended})', "with a mask"),
        ("DISABLED", SILENT, "by calling reset"),
    ],
)
def test_rule_and_assumption_are_said(mode: str, text: str, said: str) -> None:
    sentence = remark({"autoreset": mode, "gymnasium": "1.4.0"}, text)
    assert sentence.startswith("Gymnasium 1.4.0: ")
    assert f"({mode})" in sentence
    assert said in sentence


def test_a_comment_is_no_assumption() -> None:
    text = f"# {READS_OLD}\n{SILENT}"
    assert "final_observation" not in words_of(text)
    assert "says nothing" in remark({"autoreset": "NEXT_STEP"}, text)


def test_a_library_keeps_its_own_rule() -> None:
    rule = {"autoreset": "SAME_STEP", "library": "Stable-Baselines3"}
    assert "Agents of Stable-Baselines3 expect that" in remark(rule, SILENT)


@pytest.mark.parametrize("rule", [{}, {"gymnasium": "1.4.0"}, {"autoreset": "LATER"}])
def test_without_a_vector_environment_nothing_is_said(rule: dict[str, str]) -> None:
    assert remark(rule, READS_OLD) == ""


def test_what_does_not_parse_has_no_words() -> None:
    assert words_of("print 'python two'") == frozenset()
