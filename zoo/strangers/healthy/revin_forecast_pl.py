"""Multi-step load forecasting with Lightning: manual optimization, two optimizers, windows normalised per instance.

Split is chronological; only the training windows are shuffled.
"""
import argparse
import logging
import warnings
from dataclasses import dataclass

import lightning as L
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


@dataclass
class HP:
    context: int = 96
    horizon: int = 24
    hidden: int = 96
    batch_size: int = 64
    lr: float = 2e-3
    affine_lr: float = 1e-2
    epochs: int = 8
    seed: int = 0


def make_load(rng, n=7000):
    t = np.arange(n)
    daily = np.sin(2 * np.pi * t / 24) + 0.5 * np.sin(4 * np.pi * t / 24 + 0.7)
    weekly = 1 + 0.35 * np.sin(2 * np.pi * t / 168)
    noise = np.zeros(n)
    for i in range(1, n):
        noise[i] = 0.8 * noise[i - 1] + rng.normal(0, 0.12)
    level = np.cumsum(rng.normal(0, 0.01, n))
    return (3200 + 400 * (daily * weekly + level + noise)).astype(np.float32)


class Windows(Dataset):
    def __init__(self, series, hp):
        self.s, self.hp = torch.from_numpy(series), hp

    def __len__(self):
        return len(self.s) - self.hp.context - self.hp.horizon + 1

    def __getitem__(self, i):
        mid = i + self.hp.context
        return self.s[i:mid], self.s[mid:mid + self.hp.horizon]


class RevIN(nn.Module):
    """Reversible instance normalisation; raw megawatts come in and go out."""

    def __init__(self, eps=1e-3):
        super().__init__()
        self.gain, self.shift, self.eps = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1)), eps

    def normalise(self, x):
        self.mu = x.mean(1, keepdim=True).detach()
        self.sd = x.std(1, keepdim=True).detach() + self.eps
        return (x - self.mu) / self.sd * self.gain + self.shift

    def denormalise(self, z):
        return (z - self.shift) / self.gain * self.sd + self.mu


class Forecaster(L.LightningModule):
    def __init__(self, hp, scale):
        super().__init__()
        self.automatic_optimization = False
        self.hp, self.scale = hp, scale
        self.revin = RevIN()
        self.trend = nn.Linear(hp.context, hp.horizon)
        self.mlp = nn.Sequential(
            nn.Linear(hp.context, hp.hidden), nn.GELU(), nn.Dropout(0.1), nn.Linear(hp.hidden, hp.horizon))
        nn.init.zeros_(self.mlp[-1].weight)
        nn.init.zeros_(self.mlp[-1].bias)

    def forward(self, x):
        z = self.revin.normalise(x)
        return self.revin.denormalise(self.trend(z) + self.mlp(z))

    def training_step(self, batch, _):
        x, y = batch
        net_opt, affine_opt = self.optimizers()
        loss = nn.functional.huber_loss(self(x) / self.scale, y / self.scale)
        net_opt.zero_grad()
        affine_opt.zero_grad()
        self.manual_backward(loss)
        self.clip_gradients(net_opt, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
        net_opt.step()
        affine_opt.step()
        self.lr_schedulers().step()
        self.log("train", loss.detach(), on_epoch=True, on_step=False)

    def _error(self, batch, name):
        x, y = batch
        naive = x[:, -24:]
        self.log_dict({f"{name}_mae": (self(x) - y).abs().mean(), f"{name}_naive": (naive - y).abs().mean()},
                      on_epoch=True, batch_size=len(x))

    def validation_step(self, batch, _):
        self._error(batch, "val")

    def test_step(self, batch, _):
        self._error(batch, "test")

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch}  train {m['train']:.4f}  val mae {m['val_mae']:.1f} MW")

    def configure_optimizers(self):
        affine = list(self.revin.parameters())
        net = [p for n, p in self.named_parameters() if not n.startswith("revin.")]
        a = torch.optim.AdamW(net, lr=self.hp.lr, weight_decay=1e-3)
        b = torch.optim.SGD(affine, lr=self.hp.affine_lr)
        sched = torch.optim.lr_scheduler.OneCycleLR(
            a, self.hp.lr, epochs=self.hp.epochs, steps_per_epoch=len(self.trainer.datamodule.train_dataloader()))
        return [a, b], [sched]


class LoadData(L.LightningDataModule):
    def __init__(self, hp):
        super().__init__()
        self.hp = hp
        s = make_load(np.random.default_rng(hp.seed))
        a, b = int(0.7 * len(s)), int(0.85 * len(s))
        self.scale = float(s[:a].std())
        self.parts = {"train": Windows(s[:a], hp), "val": Windows(s[a:b], hp), "test": Windows(s[b:], hp)}

    def train_dataloader(self):
        return DataLoader(self.parts["train"], self.hp.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.parts["val"], 256)

    def test_dataloader(self):
        return DataLoader(self.parts["test"], 256)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    hp = HP(seed=ap.parse_args().seed)
    L.seed_everything(hp.seed, verbose=False)
    data = LoadData(hp)
    trainer = L.Trainer(max_epochs=hp.epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    model = Forecaster(hp, data.scale)
    trainer.fit(model, datamodule=data)
    r = trainer.test(model, datamodule=data, verbose=False)[0]
    print(f"test mae {r['test_mae']:.1f} MW (same hour yesterday: {r['test_naive']:.1f} MW)")


if __name__ == "__main__":
    main()
