"""Frameworks as they are: Lightning, the Trainer of transformers, torch.compile, notebooks."""

import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import sleuth
from sleuth.record.entries import Metric
from sleuth.record.json_lines import read
from tests.watching.recording import recorded

slow = pytest.mark.slow


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLEUTH_HOME", str(tmp_path / "home"))


def fit(model: Any, steps: int = 4, forward: Any = None) -> list[float]:
    torch.manual_seed(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        x = torch.randn(8, 4)
        loss: Any = nn.functional.mse_loss((forward or model)(x), x.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_a_block_of_a_notebook_is_watched() -> None:
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    with sleuth.watch(model) as seen:
        losses = fit(model)
    assert len(seen.seen.steps) == 4
    assert seen.seen.losses == pytest.approx(losses)
    assert "4 optimizer steps" in str(seen)
    assert "<svg" in seen._repr_html_()


def test_everything_is_put_back(tmp_path: Path) -> None:
    from torch.optim import optimizer as door

    names = [
        (torch.nn.functional, "cross_entropy"),
        (torch.Tensor, "backward"),
        (torch.nn.Module, "train"),
        (torch.nn.Module, "__init__"),
        (torch.optim.Optimizer, "zero_grad"),
        (torch.utils.data.DataLoader, "__iter__"),
        (torch, "manual_seed"),
        (torch, "load"),
        (__builtins__ if not isinstance(__builtins__, dict) else __import__("builtins"), "print"),
    ]
    before = [getattr(owner, name) for owner, name in names]
    own = set(vars(torch.Tensor))
    with recorded(tmp_path / "record.jsonl"):
        assert [getattr(owner, name) for owner, name in names] != before
        fit(nn.Linear(4, 1))
    assert [getattr(owner, name) for owner, name in names] == before
    assert set(vars(torch.Tensor)) == own
    assert not door._global_optimizer_pre_hooks
    assert not torch.nn.modules.module._global_forward_hooks


@slow
def test_compiling_meets_no_more_graph_breaks(tmp_path: Path) -> None:
    from torch._dynamo.testing import CompileCounter

    def frames_and_losses() -> tuple[int, list[float]]:
        torch._dynamo.reset()
        counter = CompileCounter()
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.ReLU(), nn.Linear(8, 1))
        losses = fit(model, 12, torch.compile(model, backend=counter))
        return counter.frame_count, losses

    alone = frames_and_losses()
    with recorded(tmp_path / "record.jsonl", "default"), warnings.catch_warnings(record=True) as said:
        seen = frames_and_losses()
    assert seen == alone
    assert not [warning for warning in said if "hooks" in str(warning.message)]
    assert read(tmp_path / "record.jsonl").losses == pytest.approx(alone[1])


def test_a_trace_by_fx_does_not_end_the_watch(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    original = vars(nn.Module)["__call__"]
    with recorded(tmp_path / "record.jsonl", "default"):
        fit(model, 2)
        code = torch.fx.symbolic_trace(model).code
        fit(model, 3)
    assert code == torch.fx.symbolic_trace(model).code
    assert vars(nn.Module)["__call__"] is original
    modes = [step.training for step in read(tmp_path / "record.jsonl").steps]
    assert modes[:2] == [True, True]
    assert modes[3:] == [True, True]


def test_checkpointing_recomputes_in_peace(tmp_path: Path) -> None:
    from torch.utils.checkpoint import checkpoint

    def losses() -> list[float]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1))
        return fit(model, 4, lambda x: checkpoint(model, x, use_reentrant=False))

    alone = losses()
    with recorded(tmp_path / "record.jsonl"):
        assert losses() == alone
    assert len(read(tmp_path / "record.jsonl").steps) == 4


@slow
@pytest.mark.skipif(find_spec("pytorch_lightning") is None, reason="Lightning is not installed")
def test_lightning(tmp_path: Path) -> None:
    from torch.utils.data import DataLoader, TensorDataset

    from sleuth.integrations import lightning_callback

    pl: Any = import_module("pytorch_lightning")

    class Module(pl.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(4, 1)

        def training_step(self, batch: Any, index: int) -> Any:
            loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
            self.log("train_loss", loss)
            return loss

        def validation_step(self, batch: Any, index: int) -> None:
            self.log("val_loss", nn.functional.mse_loss(self.net(batch[0]), batch[1]))

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    data = TensorDataset(torch.randn(32, 4), torch.randn(32, 1))
    callback = lightning_callback(show=False)
    trainer = pl.Trainer(
        max_epochs=2,
        callbacks=[callback],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
        accelerator="cpu",
    )
    trainer.fit(Module(), DataLoader(data, 8, shuffle=True), DataLoader(data, 8))
    record = callback.watching.seen
    assert len(record.steps) == 8
    assert {"train_loss", "val_loss"} <= {metric.name for metric in record.of(Metric)}
    assert callback.report is not None


@slow
@pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")
@pytest.mark.skipif(find_spec("accelerate") is None, reason="accelerate is not installed")
def test_trainer_of_transformers(tmp_path: Path) -> None:
    from sleuth.integrations import trainer_callback

    class Small(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(4, 1)

        def forward(self, x: Any = None, labels: Any = None) -> Any:
            out = self.net(x)
            return {"loss": nn.functional.mse_loss(out, labels), "logits": out}

    hf: Any = import_module("transformers")
    data = [{"x": torch.randn(4), "labels": torch.randn(1)} for _ in range(32)]
    callback = trainer_callback(show=False)
    arguments = hf.TrainingArguments(
        output_dir=str(tmp_path),
        per_device_train_batch_size=8,
        gradient_accumulation_steps=2,
        num_train_epochs=2,
        logging_steps=1,
        report_to=[],
        save_strategy="no",
        use_cpu=True,
        disable_tqdm=True,
    )
    hf.Trainer(Small(), arguments, train_dataset=data, callbacks=[callback]).train()
    record = callback.watching.seen
    assert [step.backwards for step in record.steps] == [2] * 4
    assert "transformers" in {metric.source for metric in record.of(Metric)}
