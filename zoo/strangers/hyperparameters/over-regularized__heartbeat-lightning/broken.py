"""Heartbeat classification from single-lead ECG-like strips (Lightning version of our TF1 model)."""
import logging
import warnings
from dataclasses import dataclass

import lightning as L
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
warnings.filterwarnings("ignore", ".*does not have many workers.*")

CLASSES = ("normal", "atrial", "ventricular", "paced", "bundle")


@dataclass
class HParams:
    n_train: int = 2400
    length: int = 96
    channels: int = 24
    keep_prob: float = 0.9
    lr: float = 2e-3
    weight_decay: float = 1e-4
    batch_size: int = 64
    epochs: int = 8
    seed: int = 8


def bump(t, centre, width, height):
    return height * np.exp(-0.5 * ((t - centre) / width) ** 2)


def make_beats(n, length, seed):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, length)[None, :]
    y = rng.integers(0, len(CLASSES), size=n)
    j = lambda lo, hi: rng.uniform(lo, hi, size=(n, 1))
    shift = j(-0.08, 0.08)
    is_ = lambda k: (y == k)[:, None]
    p_height = np.where(is_(2), 0.0, np.where(is_(1), j(0.05, 0.15), j(0.2, 0.3)))
    p_centre = np.where(is_(1), 0.20, 0.28) + shift
    qrs_width = np.where(is_(2), j(0.045, 0.065), np.where(is_(4), j(0.032, 0.042), j(0.018, 0.026)))
    t_height = np.where(is_(2), -j(0.2, 0.35), j(0.2, 0.4))
    sig = bump(t, p_centre, 0.03, p_height)
    sig = sig + bump(t, 0.45 + shift, qrs_width, j(0.8, 1.2))
    sig = sig - bump(t, 0.50 + shift, 0.02, j(0.15, 0.3))
    sig = sig + np.where(is_(4), bump(t, 0.54 + shift, 0.025, j(0.3, 0.5)), 0.0)
    sig = sig + np.where(is_(3), bump(t, 0.37 + shift, 0.006, j(0.6, 1.0)), 0.0)
    sig = sig + bump(t, 0.72 + shift, 0.06, t_height)
    wander = j(-0.2, 0.2) * np.sin(2 * np.pi * (t * j(0.3, 1.0) + j(0, 1)))
    sig = sig + wander + rng.normal(0, 0.07, size=sig.shape)
    return torch.tensor(sig[:, None, :], dtype=torch.float32), torch.tensor(y)


class ConvBlock(nn.Module):
    def __init__(self, cin, cout, hp):
        super().__init__()
        self.conv = nn.Conv1d(cin, cout, kernel_size=7, padding=3)
        self.norm = nn.GroupNorm(4, cout)
        self.drop = nn.Dropout(hp.keep_prob)

    def forward(self, x):
        return F.max_pool1d(self.drop(F.relu(self.norm(self.conv(x)))), 2)


class BeatClassifier(L.LightningModule):
    def __init__(self, hp: HParams):
        super().__init__()
        self.hp = hp
        c = hp.channels
        self.blocks = nn.Sequential(ConvBlock(1, c, hp), ConvBlock(c, 2 * c, hp), ConvBlock(2 * c, 2 * c, hp))
        self.fc = nn.Linear(2 * c * (hp.length // 8), 64)
        self.out = nn.Linear(64, len(CLASSES))
        self.epoch_losses = []
        self.hits = self.seen = 0

    def forward(self, x):
        h = self.blocks(x).flatten(1)
        return self.out(F.relu(self.fc(h)))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.epoch_losses.append(loss.detach())
        return loss

    def on_train_epoch_end(self):
        print(f"epoch {self.current_epoch:2d}  train loss {torch.stack(self.epoch_losses).mean():.4f}")
        self.epoch_losses.clear()

    def _count(self, batch):
        x, y = batch
        self.hits += (self(x).argmax(1) == y).sum().item()
        self.seen += len(y)

    def validation_step(self, batch, batch_idx):
        self._count(batch)

    def on_validation_epoch_end(self):
        print(f"          val accuracy {self.hits / self.seen:.3f}")
        self.hits = self.seen = 0

    def test_step(self, batch, batch_idx):
        self._count(batch)

    def on_test_epoch_end(self):
        print(f"test accuracy {self.hits / self.seen:.3f} on {self.seen} beats")
        self.hits = self.seen = 0

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hp.lr, weight_decay=self.hp.weight_decay)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.hp.epochs)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "epoch"}}


def main():
    hp = HParams()
    L.seed_everything(hp.seed, verbose=False)
    train = TensorDataset(*make_beats(hp.n_train, hp.length, seed=100))
    val = TensorDataset(*make_beats(600, hp.length, seed=200))
    test = TensorDataset(*make_beats(1000, hp.length, seed=300))

    model = BeatClassifier(hp)
    trainer = L.Trainer(
        max_epochs=hp.epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
        check_val_every_n_epoch=2,
    )
    trainer.fit(model, DataLoader(train, batch_size=hp.batch_size, shuffle=True), DataLoader(val, batch_size=200))
    trainer.test(model, DataLoader(test, batch_size=200), verbose=False)


if __name__ == "__main__":
    main()
