import logging
import math
import tempfile
import warnings

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", message=".*does not have many workers.*")


class Waves(L.LightningDataModule):
    """sine / square / saw with noise, three equally frequent classes"""

    def __init__(self, batch_size=64, seed=30):
        super().__init__()
        self.batch_size, self.seed = batch_size, seed

    def setup(self, stage=None):
        g = torch.Generator().manual_seed(self.seed)

        def make(n):
            t = torch.linspace(0, 1, 96)
            kind = torch.arange(n) % 3
            ph = 2 * math.pi * ((2 + 3 * torch.rand(n, 1, generator=g)) * t + torch.rand(n, 1, generator=g))
            shapes = torch.stack([1.41 * ph.sin(), ph.sin().sign(), 1.73 * (ph / math.pi % 2 - 1)], dim=1)
            x = shapes[torch.arange(n), kind] + 0.5 * torch.randn(n, 96, generator=g)
            return TensorDataset(x, kind)

        self.parts = {"train": make(3600), "val": make(900), "test": make(900)}

    def train_dataloader(self):
        return DataLoader(self.parts["train"], batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.parts["val"], batch_size=300)

    def test_dataloader(self):
        return DataLoader(self.parts["test"], batch_size=300)


class WaveModule(L.LightningModule):
    def __init__(self, max_lr=4e-3, weight_decay=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv1d(1, 16, 7, padding=3), nn.BatchNorm1d(16), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(16, 24, 5, padding=2), nn.BatchNorm1d(24), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(24, 24, 5, padding=2), nn.BatchNorm1d(24), nn.ReLU(), nn.AdaptiveAvgPool1d(4),
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(96, 3),
        )

    def forward(self, x):
        return self.net(x.unsqueeze(1))

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True, batch_size=len(y))
        return loss

    def _shared_eval(self, batch, name):
        x, y = batch
        out = self(x)
        self.log(f"{name}_loss", nn.functional.cross_entropy(out, y), batch_size=len(y))
        self.log(f"{name}_acc", (out.argmax(-1) == y).float().mean(), batch_size=len(y))

    def validation_step(self, batch, _):
        self._shared_eval(batch, "val")

    def test_step(self, batch, _):
        self._shared_eval(batch, "test")

    def configure_optimizers(self):
        decay = [p for p in self.parameters() if p.ndim > 1]
        plain = [p for p in self.parameters() if p.ndim <= 1]
        opt = torch.optim.AdamW([{"params": decay, "weight_decay": self.hparams.weight_decay},
                                 {"params": plain, "weight_decay": 0.0}], lr=self.hparams.max_lr)
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=self.hparams.max_lr,
                                                    total_steps=int(self.trainer.estimated_stepping_batches))
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


class Say(Callback):
    def on_train_epoch_end(self, trainer, module):
        m = trainer.callback_metrics
        print(f"epoch {trainer.current_epoch:2d}  train {m['train_loss']:.4f}  val {m['val_loss']:.4f}  acc {m['val_acc']:.3f}")


if __name__ == "__main__":
    L.seed_everything(30, workers=True)
    with tempfile.TemporaryDirectory() as tmp:
        keep = ModelCheckpoint(dirpath=tmp, monitor="val_loss", mode="min", save_top_k=1)
        trainer = L.Trainer(max_epochs=8, accelerator="cpu", devices=1, callbacks=[keep, Say()], logger=False,
                            num_sanity_val_steps=0, enable_progress_bar=False, enable_model_summary=False)
        data = Waves()
        trainer.fit(WaveModule(), datamodule=data)
        result = trainer.test(ckpt_path="best", datamodule=data, verbose=False)[0]
        print(f"test loss {result['test_loss']:.4f}  test acc {result['test_acc']:.4f}")
