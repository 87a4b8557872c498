"""Tables of runs and argument maps that are too large, too deep or beyond the range of floats."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from sleuth.evidence import beta
from tests.attacks import archives

BIG = "1" + "0" * 400
CELLS = {
    "a mix": ("nan", "inf", "-inf", "1e308", "-1e308", "1e400", "NA", "text", "0.5", "0.6"),
    "1e308": ("1e308", "-1e308", "1e307"),
    "400 digits": (BIG,),
    "6000 digits": ("1" * 6000,),
    "some of 400 digits": (BIG, "0.1", "0.2", "0.3", "-" + BIG),
    "nearly nothing": ("1e-320", "5e-324", "0"),
}


def table(path: Path, cell: Callable[[], str], values: int = 3, seeds: int = 6) -> Path:
    rows = [f"{value / 7},{seed},{cell()}" for value in range(values) for seed in range(seeds)]
    path.write_text("\n".join(["lr,seed,acc", *rows, ""]))
    return path


VERBS = (
    ("analyze", "--param", "lr", "--metric", "acc"),
    ("analyze", "--param", "lr", "--metric", "acc", "--log"),
    ("sensitivity", "--metric", "acc"),
    ("tasks", "--algorithm", "lr", "--task", "seed", "--metric", "acc"),
)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("cells", CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_numbers_at_the_end_of_floats_are_analysed_or_refused(
    tmp_path: Path, cells: tuple[str, ...], verb: tuple[str, ...]
) -> None:
    chance = random.Random(3)
    path = table(tmp_path / "runs.csv", lambda: chance.choice(cells))
    answer = archives.said("sweep", verb[0], str(path), *verb[1:], "--html", str(tmp_path / "page.html"))
    assert answer.code in (0, 1, 2), answer.text


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '[{"lr":' * 900 + "1" + "}]" * 900, '{"a":' * 100_000 + "\n"],
    ids=["a list", "runs in runs", "a line"],
)
@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_deep_tables_are_refused_in_one_sentence(tmp_path: Path, text: str, suffix: str) -> None:
    (tmp_path / f"runs{suffix}").write_text(text)
    assert archives.said("sweep", "analyze", str(tmp_path / f"runs{suffix}")).code == 2


def test_whole_numbers_of_400_digits_in_json_are_no_results(tmp_path: Path) -> None:
    rows = [{"lr": lr, "seed": seed, "acc": 10**400} for lr in (1, 2) for seed in range(4)]
    (tmp_path / "runs.json").write_text(json.dumps(rows))
    answer = archives.said(
        "sweep", "analyze", str(tmp_path / "runs.json"), "--param", "lr", "--metric", "acc"
    )
    assert answer.code == 2


def test_thousands_of_values_with_one_seed_solve_no_equations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their normal equations, a matrix of 5000 by 5000, took two minutes and said nothing."""
    import numpy as np

    def never(*words: object, **named: object) -> None:
        raise AssertionError("equations were solved")

    monkeypatch.setattr(np.linalg, "pinv", never)
    chance = random.Random(1)
    path = table(tmp_path / "runs.csv", lambda: str(chance.random()), values=5000, seeds=1)
    answer = archives.said("sweep", "analyze", str(path), "--param", "lr", "--metric", "acc")
    assert answer.code in (0, 1)


def test_thousands_of_algorithms_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "runs.csv", lambda: "0.5", values=5000, seeds=2)
    words = ("sweep", "tasks", str(path), "--algorithm", "lr", "--task", "seed", "--metric", "acc")
    assert archives.said(*words).code == 2


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl"])
def test_a_million_columns_are_refused(tmp_path: Path, suffix: str) -> None:
    path, names = tmp_path / f"runs{suffix}", [f"c{place}" for place in range(1_000_000)]
    if suffix == ".csv":
        path.write_text(",".join(names) + "\n" + ",".join("1" * len(names)) + "\n")
    else:
        path.write_text(json.dumps(dict.fromkeys(names, 1)) + "\n")
    assert archives.said("sweep", "analyze", str(path)).code == 2


def test_quantiles_cost_a_few_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A map of 5000 claims asks for 20,000 of them."""
    asked: list[float] = []
    real = beta.cumulative

    def counted(value: float, alpha: float, other: float) -> float:
        asked.append(value)
        return real(value, alpha, other)

    monkeypatch.setattr(beta, "cumulative", counted)
    pairs = [(share, alpha, other) for share in (0.05, 0.95) for alpha in (1.5, 4, 30) for other in (1.1, 8)]
    for share, alpha, other in pairs:
        assert real(beta.quantile(share, alpha, other), alpha, other) == pytest.approx(share, abs=1e-9)
    assert len(asked) / len(pairs) < 15


def test_a_long_chain_of_claims_is_drawn_as_far_as_there_is_room(tmp_path: Path) -> None:
    claims = "\n\n".join(f"[C{place}]: Claim {place}.\n  + [C{place + 1}]" for place in range(3000))
    path = tmp_path / "chain.argdown"
    path.write_text(f"===\ntitle: Chain\n===\n\n{claims}\n")
    for words in (("show", str(path)), ("check", str(path)), ("export", str(path)), ("why", "C0", str(path))):
        assert archives.said("evidence", *words).code in (0, 1, 2), words
