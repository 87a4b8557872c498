"""Loggers as they are: what a script hands to them is in the record, and they get it all the same."""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch

from sleuth.record.entries import Metric
from sleuth.record.json_lines import read
from tests.watching.recording import recorded


def needs(*names: str) -> pytest.MarkDecorator:
    missing = [name for name in names if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed")


def noted(path: Path) -> list[tuple[str, float, str]]:
    return [(metric.name, metric.value, metric.source) for metric in read(path).of(Metric)]


@needs("tensorboard")
@pytest.mark.parametrize("module", ["torch.utils.tensorboard", "tensorboardX"])
def test_tensorboard(tmp_path: Path, module: str) -> None:
    if find_spec(module.partition(".")[0]) is None:
        pytest.skip(f"{module} is not installed")
    with recorded(tmp_path / "record.jsonl"):
        kind = import_module(module).SummaryWriter
        with kind(str(tmp_path / "events")) as writer:
            for step in range(3):
                writer.add_scalar("loss/train", torch.tensor(0.5 * step), step)
            writer.add_scalars("accuracy", {"train": 0.9, "test": 0.8}, 0)
            writer.add_text("remark", "no number")
    assert "sleuth" not in kind.add_scalar.__code__.co_filename
    assert noted(tmp_path / "record.jsonl") == [
        ("loss/train", 0.0, "tensorboard"),
        ("loss/train", 0.5, "tensorboard"),
        ("loss/train", 1.0, "tensorboard"),
        ("accuracy/train", 0.9, "tensorboard"),
        ("accuracy/test", 0.8, "tensorboard"),
    ]
    events: Any = import_module("tensorboard.backend.event_processing.event_accumulator")
    kept = events.EventAccumulator(str(tmp_path / "events"))
    kept.Reload()
    assert [item.value for item in kept.Scalars("loss/train")] == [0.0, 0.5, 1.0]


@needs("wandb")
@pytest.mark.slow
def test_wandb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    with recorded(tmp_path / "record.jsonl"):
        wandb: Any = import_module("wandb")
        run = wandb.init(project="p", dir=str(tmp_path))
        wandb.log({"loss": 0.25, "note": "text"})
        run.log({"accuracy": torch.tensor(0.5)})
        run.finish()
    (kept,) = tmp_path.rglob("*.wandb")
    assert b"accuracy" in kept.read_bytes()
    assert noted(tmp_path / "record.jsonl") == [("loss", 0.25, "wandb"), ("accuracy", 0.5, "wandb")]


@needs("mlflow")
@pytest.mark.slow
def test_mlflow(tmp_path: Path) -> None:
    with recorded(tmp_path / "record.jsonl"):
        mlflow: Any = import_module("mlflow")
        mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
        with mlflow.start_run() as run:
            mlflow.log_metric("loss", 0.25, step=1)
            mlflow.log_metrics({"accuracy": 0.5, "f1": 0.75}, step=1)
            mlflow.log_param("lr", 0.1)
    kept = mlflow.get_run(run.info.run_id).data.metrics
    assert kept == {"loss": 0.25, "accuracy": 0.5, "f1": 0.75}
    seen = [item for item in noted(tmp_path / "record.jsonl") if item[2] == "mlflow"]
    assert seen == [("loss", 0.25, "mlflow"), ("accuracy", 0.5, "mlflow"), ("f1", 0.75, "mlflow")]


@needs("pytorch_lightning", "tensorboard")
@pytest.mark.slow
def test_lightning_and_its_logger_are_noted_once(tmp_path: Path) -> None:
    from torch.utils.data import DataLoader, TensorDataset

    pl: Any = import_module("pytorch_lightning")

    class Module(pl.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.net = torch.nn.Linear(4, 1)

        def training_step(self, batch: Any, index: int) -> Any:
            loss = torch.nn.functional.mse_loss(self.net(batch[0]), batch[1])
            self.log("train_loss", loss)
            return loss

        def validation_step(self, batch: Any, index: int) -> None:
            self.log("val_loss", torch.nn.functional.mse_loss(self.net(batch[0]), batch[1]))

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    data = TensorDataset(torch.randn(32, 4), torch.randn(32, 1))
    with recorded(tmp_path / "record.jsonl", "default"):
        trainer = pl.Trainer(
            max_epochs=2,
            logger=pl.loggers.TensorBoardLogger(str(tmp_path)),
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            log_every_n_steps=1,
            accelerator="cpu",
        )
        trainer.fit(Module(), DataLoader(data, 8), DataLoader(data, 8))
    seen = [item for item in noted(tmp_path / "record.jsonl") if item[2] != "stdout"]
    assert [name for name, _, _ in seen].count("train_loss") == 8
    assert [name for name, _, _ in seen].count("val_loss") == 2
    assert {source for _, _, source in seen} == {"lightning"}


def test_a_logger_loaded_before_is_put_back(tmp_path: Path) -> None:
    logs = pytest.importorskip("torch.utils.tensorboard.writer")
    before = logs.SummaryWriter.add_scalar
    finders = len(sys.meta_path)
    with recorded(tmp_path / "record.jsonl"):
        assert logs.SummaryWriter.add_scalar is not before
    assert logs.SummaryWriter.add_scalar is before
    assert len(sys.meta_path) == finders
