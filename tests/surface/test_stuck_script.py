"""`sleuth stuck SCRIPT`: the loss taken apart, the metric computed once more, training without a term."""

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.cli import run
from sleuth.stuck_metric.terms import REST, take_apart

START = """
import torch
torch.manual_seed(0)
x = torch.randn(64, 4)
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.02)
"""
STEP = "opt.zero_grad(); loss.backward(); opt.step()"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return tmp_path


def ask(folder: Path, body: str, metric: str, *options: str, start: str = START) -> dict[str, Any]:
    (folder / "train.py").write_text(start + textwrap.dedent(body))
    code = run(["stuck", "--json", "told.json", *options, "train.py", "--metric", metric])
    told: dict[str, Any] = json.loads((folder / "told.json").read_text())
    assert code == (1 if told["findings"] else 0)
    return told


def observed(told: dict[str, Any], question: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in told["observations"] if one["question"].startswith(question))
    return found


def unavailable(told: dict[str, Any]) -> str:
    return "; ".join(one["unavailable"] for one in told["examined"] if "unavailable" in one)


def test_a_term_that_holds_the_metric_is_confirmed_by_training_without_it(folder: Path) -> None:
    told = ask(
        folder,
        f"""
        for step in range(200):
            size = model(x).mean()
            aim = (size - 3.0) ** 2
            hold = 20 * (model.bias - 1).pow(2).sum()
            loss = aim + hold
            {STEP}
            open("log.txt", "a").write("step")
        """,
        "size",
    )
    assert told["row"] == "competing-or-inertia"
    assert told["findings"][0]["cause"] == "loss-terms-conflict"
    assert told["findings"][0]["confirmed_by"] == ["training without hold"]
    proof = observed(told, "same value")
    assert proof["without"]["hold"] == pytest.approx(3.0, abs=0.1)  # where the own term wants it
    assert proof["without_own"] == pytest.approx(1.0, abs=0.15)  # where the other one holds the bias
    reach = observed(told, "can the parameters")
    assert reach["measured"] == pytest.approx(reach["promised"], rel=0.01)
    assert sorted(path.name for path in folder.iterdir()) == ["told.json", "train.py"]


@pytest.mark.slow
def test_a_term_that_was_never_learned_ends_at_the_same_value_without_it(folder: Path) -> None:
    told = ask(
        folder,
        f"""
        class Trainer:
            def fit(self):
                for step in range(200):
                    out = model(x)
                    self.size = out.mean()
                    losses = {{"fit": ((out - x[:, :1]) ** 2).mean(), "aim": 1e-5 * (self.size - 3.0) ** 2}}
                    loss = sum(losses.values())
                    {STEP}
        Trainer().fit()
        raise SystemExit(0)
        """,
        "self.size",
    )
    assert told["row"] == "same-basin"
    proof = observed(told, "same value")
    assert proof["same"]
    assert set(proof["without"]) == {"losses.fit"}
    assert told["findings"][0]["cause"] == "loss-terms-imbalanced"
    assert "reaches the same value" in told["findings"][0]["confirmed_by"][-1]


def test_a_slope_that_lies_is_found_by_moving_the_parameters(folder: Path) -> None:
    told = ask(
        folder,
        f"""
        for step in range(20):
            soft = torch.sigmoid(model(x))
            steps = (soft * 0 + 0.5).round()
            share = (steps + soft - soft.detach()).mean()  # straight through, to a constant
            loss = (share - 3.0) ** 2
            {STEP}
        """,
        "share",
    )
    assert told["findings"][0]["cause"] == "structural-ceiling"
    reach = observed(told, "can the parameters")
    assert reach["lies"]
    assert abs(reach["measured"]) < 0.01 * reach["promised"]
    assert "an earlier question already decided it" in unavailable(told)


@pytest.mark.slow
def test_a_script_with_worker_processes_is_not_copied(folder: Path) -> None:
    told = ask(
        folder,
        f"""
        loader = torch.utils.data.DataLoader(x, batch_size=8, num_workers=1, persistent_workers=True)
        for epoch in range(2):
            for rows in loader:
                size = model(rows).mean()
                loss = (size - 3.0) ** 2
                {STEP}
        """,
        "size",
    )
    reach = observed(told, "can the parameters")
    assert reach["measured"] is None
    assert "worker processes" in reach["unchecked"]
    assert "the loss is one term" in unavailable(told)


@pytest.mark.parametrize(("thread", "needed"), [("threading.Thread", True), ("Bar", False)])
def test_a_script_with_threads_is_not_copied_but_for_progress_bars(thread: str, needed: bool) -> None:
    import threading

    from sleuth.stuck_metric.twin import hindrance

    over = threading.Event()
    kind = (
        threading.Thread if thread != "Bar" else type("Bar", (threading.Thread,), {"__module__": "tqdm._m"})
    )
    began = kind(target=over.wait, daemon=True)
    before = "threads" in hindrance()  # a test runner may have some
    began.start()
    try:
        assert ("threads" in hindrance()) == (needed or before)
    finally:
        over.set()
        began.join()


@pytest.mark.slow
def test_of_two_losses_the_metrics_own_is_asked_and_an_old_graph_is_not(folder: Path) -> None:
    told = ask(
        folder,
        """
        other = torch.nn.Linear(4, 1)
        opt2 = torch.optim.SGD(other.parameters(), lr=0.02)
        for step in range(20):
            critic = other(x).pow(2).mean()
            opt2.zero_grad(); critic.backward(); opt2.step()
            size = model(x).mean()
            loss = (size - 3.0) ** 2
            opt.zero_grad(); loss.backward(); opt.step()
        """,
        "size",
    )
    assert told["row"] == "free"
    assert observed(told, "does the loss care")["connected"]


@pytest.mark.slow
def test_a_slow_script_is_judged_by_what_was_seen_in_time(folder: Path) -> None:
    told = ask(
        folder,
        f"""
        import time
        for step in range(200):
            time.sleep(0.3)
            size = model(x).mean()
            aim = (size - 3.0) ** 2
            loss = aim + model.weight.pow(2).sum()
            {STEP}
        """,
        "size",
        "--budget",
        "20s",
    )
    assert 3 <= told["step"] < 100  # as far as it came
    assert "s to compute" in observed(told, "can the parameters")["unchecked"]


@pytest.mark.parametrize(
    ("words", "handed"),
    [
        (["train.py", "--free", "--metric", "size", "--json", "told.json"], ["--free"]),
        (["train.py", "--json", "told.json", "--metric", "size"], []),
        (["train.py", "--metric", "size", "--free", "--json", "told.json"], ["--free"]),
        (["--metric", "size", "train.py", "--metric", "acc", "--json", "told.json"], ["--metric", "acc"]),
        (
            ["--json", "told.json", "train.py", "--json", "own", "--metric", "size", "--free"],
            ["--json", "own", "--free"],
        ),
    ],
)
def test_options_behind_the_script_are_told_from_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], handed: list[str]
) -> None:
    asked: list[Any] = []

    def answered(*request: Any) -> dict[str, Any]:
        asked.append(request)
        return {"answer": None, "trouble": "enough"}

    monkeypatch.setattr("sleuth.stuck_metric.running.answered", answered)
    (folder / "train.py").write_text("")
    assert run(["stuck", *words]) == 2
    assert (asked[0][1], asked[0][2]) == (tuple(handed), "size")


def scalar_graph() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    w = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
    return w, w.sum(), (w**2).sum()


def test_terms_count_with_the_weight_they_have_in_the_loss() -> None:
    w, metric, hold = scalar_graph()
    aim = (metric - 9) ** 2
    loss = (0.5 * aim - hold / 4) * 2 + w.exp().sum()
    parts = take_apart(loss, metric, {"aim": aim, "hold": hold, "loss": loss})
    assert parts.own == "aim"
    assert set(parts.rivals) == {"hold", REST}
    assert float(parts.loss.detach()) == pytest.approx(float(aim.detach()))
    assert float(parts.rivals["hold"].detach()) == pytest.approx(-float(hold.detach()) / 2)
    assert list(parts.switches) == ["aim", "hold"]


def test_a_metric_that_leads_nowhere_leaves_the_loss_whole() -> None:
    _, metric, hold = scalar_graph()
    parts = take_apart(hold * 1.0, metric, {"hold": hold})
    assert (parts.own, parts.rivals) == ("loss", {})


def test_the_finest_names_win_and_a_metric_may_be_a_term_itself() -> None:
    w, metric, hold = scalar_graph()
    aim = (metric - 9) ** 2
    both = aim + hold
    assert set(take_apart(both * 2 + 0.0, metric, {"both": both, "aim": aim, "hold": hold}).rivals) == {
        "hold"
    }
    assert take_apart(aim + 3 * hold, hold, {"aim": aim, "hold": hold}).own == "hold"
    assert set(take_apart(torch.stack([aim, hold]).sum(), metric, {"hold": hold}).rivals) == {"hold"}
    assert w.grad is None


def test_a_term_switched_off_gives_no_gradient() -> None:
    w, metric, hold = scalar_graph()
    aim = (metric - 9) ** 2
    loss = 1e6 * aim + hold
    parts = take_apart(loss, metric, {"aim": aim, "hold": hold})
    assert parts.switch_off("aim")
    assert not parts.switch_off("nobody")
    loss.backward()  # type: ignore[no-untyped-call]
    assert w.grad is not None
    assert torch.equal(w.grad, 2 * w.detach())  # exactly hold's, though the other was a million times larger


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.floats(-3, 3), st.booleans()), min_size=1, max_size=6), st.randoms())
def test_the_parts_of_any_sum_add_up_to_its_gradient(weighted: list[tuple[float, bool]], random: Any) -> None:
    w = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    metric = w.prod()
    terms = [(w * (k + 1)).sin().sum() if k % 2 else (metric - k) ** 2 for k, _ in enumerate(weighted)]
    loss = torch.zeros((), dtype=torch.float64) + w.exp().sum()
    for (weight, _), term in zip(weighted, terms, strict=True):
        loss = loss + weight * term if random.random() < 0.5 else weight * term + loss
    seen = {f"t{k}": term for k, ((_, named), term) in enumerate(zip(weighted, terms, strict=True)) if named}
    parts = take_apart(loss, metric, seen)
    whole = torch.autograd.grad(loss, w, retain_graph=True)[0]
    total = parts.loss + sum(parts.rivals.values())
    assert torch.allclose(torch.autograd.grad(total, w)[0], whole)
