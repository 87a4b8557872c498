"""Nothing of the user's is changed: weights, buffers, gradients, modes, hooks, random streams."""

import random
import signal
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import sleuth
from sleuth.measure.sandbox import Snapshot, kept, snapshot
from sleuth.probing import probe

torch.set_num_threads(1)


class Odd(nn.Module):
    """Tied weights, buffers, dropout, a hidden layer, a counter, a generator, hooks, a frozen part."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(6, 8)
        self.norm = nn.BatchNorm1d(8)
        self.drop = nn.Dropout(0.3)
        self.twin = nn.Linear(8, 8)
        self.mirror = nn.Linear(8, 8)
        self.mirror.weight = self.twin.weight
        self.hidden = [nn.Linear(8, 8)]
        self.out = nn.Linear(8, 3)
        self.frozen = nn.Linear(8, 8).requires_grad_(False)
        self.calls = 0
        self.memory = torch.zeros(3)
        self.stream = torch.Generator().manual_seed(5)
        self.error: BaseException | None = None

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        self.memory += 1
        self.fresh = x.mean()
        if self.error is not None and self.calls > 3:
            raise self.error
        noise = torch.randn(8, generator=self.stream) * 1e-3
        h = self.drop(torch.relu(self.norm(self.embed(x)))) + noise
        h = self.mirror(torch.tanh(self.twin(h))) + self.hidden[0](h) + self.frozen(h)
        out: Tensor = self.out(h)
        return out


def subject() -> dict[str, Any]:
    torch.manual_seed(1)
    model = Odd()
    x, y = torch.randn(40, 6), torch.randint(3, (40,))
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad])
    torch.optim.lr_scheduler.StepLR(optimizer, 1)
    loss_fn(model(x), y).backward()
    optimizer.step()
    model.register_forward_hook(lambda *_: None)
    model.embed.eval()
    generator = torch.Generator().manual_seed(9)
    loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True, generator=generator)
    parts = {
        "optimizer": optimizer,
        "loader": loader,
        "val_loader": DataLoader(TensorDataset(x, y), batch_size=8),
    }
    return {"model": model, "batch": (x, y), "loss_fn": loss_fn, **parts}


def fingerprint(made: dict[str, Any]) -> dict[str, Any]:
    """Everything a probe could have touched, as bytes and identities."""
    model: Odd = made["model"]
    tensors: dict[str, Tensor] = dict((*model.named_parameters(), *model.named_buffers()))
    tensors |= {"hidden": model.hidden[0].weight, "memory": model.memory}
    optimizer = made["optimizer"]
    moments = [t for state in optimizer.state.values() for t in state.values() if isinstance(t, Tensor)]
    return {
        "bits": {name: t.detach().numpy().tobytes() for name, t in tensors.items()},
        "places": {name: (id(t), t.data_ptr(), t.requires_grad) for name, t in tensors.items()},
        "gradients": {
            n: None if t.grad is None else (id(t.grad), t.grad.numpy().tobytes()) for n, t in tensors.items()
        },
        "modes": [module.training for module in model.modules()],
        "hooks": [
            list(module._forward_hooks) + list(module._forward_pre_hooks) for module in model.modules()
        ],
        "attributes": sorted(vars(model)),
        "calls": model.calls,
        "optimizer": [t.numpy().tobytes() for t in moments],
        "groups": [{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups],
        "own stream": model.stream.get_state().numpy().tobytes(),
        "loader stream": made["loader"].generator.get_state().numpy().tobytes(),
        "torch": torch.get_rng_state().numpy().tobytes(),
        "numpy": repr(np.random.get_state()),
        "random": random.getstate(),
        "batch": [t.numpy().tobytes() for t in made["batch"]],
        "grad mode": torch.is_grad_enabled(),
    }


def assert_untouched(made: dict[str, Any], before: dict[str, Any]) -> None:
    after = fingerprint(made)
    assert [key for key in before if before[key] != after[key]] == []


def test_a_whole_probe_leaves_everything_as_it_was() -> None:
    made = subject()
    before = fingerprint(made)
    probe(**made)
    assert_untouched(made, before)


@pytest.mark.parametrize(
    "error", [RuntimeError("no"), KeyboardInterrupt(), MemoryError()], ids=lambda e: type(e).__name__
)
def test_so_does_one_that_is_interrupted_or_meets_an_error(error: BaseException) -> None:
    made = subject()
    made["model"].error = error
    before = fingerprint(made)
    if isinstance(error, KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            probe(**made)
    else:
        assert probe(**made).verdict.status in ("crashed", "cause-found")
    assert_untouched(made, before)


@pytest.mark.parametrize("change", ["weight", "buffer", "mode", "hook", "random", "attribute", "gradient"])
def test_this_test_can_fail(change: str) -> None:
    made = subject()
    model: Odd = made["model"]
    before = fingerprint(made)
    changes: dict[str, Callable[[], Any]] = {
        "weight": lambda: model.out.weight.data.add_(1e-7),
        "buffer": lambda: model.norm.running_mean.add_(1e-7),  # type: ignore[union-attr]
        "mode": lambda: model.drop.eval(),
        "hook": lambda: model.out.register_forward_hook(lambda *_: None),
        "random": lambda: torch.rand(1),
        "attribute": lambda: setattr(model, "fresh2", 1),
        "gradient": lambda: model.out.zero_grad(set_to_none=True),
    }
    changes[change]()
    assert fingerprint(made) != before


def test_the_sandbox_undoes_a_rebound_and_converted_model() -> None:
    made = subject()
    model: Odd = made["model"]
    before = fingerprint(made)
    with kept(model, 0, [made["loader"]]):
        model.double()
        model.out.weight.data = torch.zeros(3, 8)
        model.requires_grad_(False)
        model.add_module("late", nn.Linear(1, 1))
        del model.drop
        list(made["loader"])
        random.random()
        np.random.rand()
    assert_untouched(made, before)


def test_a_step_that_writes_into_its_batch_leaves_it_as_it_was() -> None:
    made = subject()
    whole = torch.randn(100, 6)
    rows, labels = whole[:40], made["batch"][1]
    before, versions = whole.clone(), (whole._version, labels._version)

    def step(model: nn.Module, batch: Any) -> Tensor:
        batch[0].sub_(batch[0].mean(0)).requires_grad_()
        batch[1].copy_(batch[1].flip(0))
        loss: Tensor = made["loss_fn"](model(batch[0] * 1), batch[1])
        return loss

    print_before = fingerprint(made)
    probe(made["model"], (rows, labels), step=step)
    assert torch.equal(whole, before)
    assert not rows.requires_grad
    assert (whole._version, labels._version) == versions
    assert_untouched(made, print_before)


@pytest.mark.parametrize("own", [False, True])
def test_a_step_that_moves_its_optimizer_moves_nothing(own: bool) -> None:
    made = subject()
    optimizer = made["optimizer"]
    called: list[int] = []
    if own:  # as schedulers wrap it
        optimizer.step = partial(called.append, 1)

    def step(model: nn.Module, batch: Any) -> Tensor:
        loss: Tensor = made["loss_fn"](model(batch[0]), batch[1])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return loss

    mine = vars(optimizer).get("step")
    before = fingerprint(made)
    report = probe(made["model"], made["batch"], step=step, optimizer=optimizer)
    assert_untouched(made, before)
    assert vars(optimizer).get("step") is mine
    assert not called
    assert "the step calls backward itself: let it return the loss before that" in report.verdict.summary


@pytest.fixture
def interruptible() -> Iterator[None]:
    """As in a terminal; programs in the background are started deaf to Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interruption_waits_until_everything_is_restored() -> None:
    made = subject()
    model: Odd = made["model"]
    before = fingerprint(made)
    taken = snapshot(model, [made["loader"]])
    for weight in model.parameters():
        weight.data.add_(1)

    def interrupt() -> None:
        signal.raise_signal(signal.SIGINT)

    usual = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        Snapshot((interrupt, *taken.undo)).restore()
    assert signal.getsignal(signal.SIGINT) is usual
    assert_untouched(made, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("call", range(1, 60, 7))
def test_an_interruption_anywhere_leaves_no_trace(call: int) -> None:
    """Ctrl-C in the n-th pass, whichever measurement that is."""
    made = subject()
    before = fingerprint(made)
    count = [0]

    def step(model: nn.Module, batch: Any) -> Tensor:
        count[0] += 1
        if count[0] == call:
            signal.raise_signal(signal.SIGINT)
        loss: Tensor = made["loss_fn"](model(batch[0]), batch[1])
        return loss

    with pytest.raises(KeyboardInterrupt):
        probe(**{k: v for k, v in made.items() if k != "loss_fn"}, step=step)
    assert_untouched(made, before)


def test_a_graph_built_before_can_still_be_walked() -> None:
    made = subject()
    loss = made["loss_fn"](made["model"](made["batch"][0]), made["batch"][1])
    probe(**made)
    made["model"].zero_grad()
    loss.backward()
    assert made["model"].out.weight.grad is not None


def test_two_probes_say_the_same() -> None:
    first, second = sleuth.probe(**subject()), sleuth.probe(**subject())
    keep = [[(f.cause, f.severity, dict(f.numbers)) for f in report.findings] for report in (first, second)]
    assert keep[0] == keep[1]
