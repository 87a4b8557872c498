"""Lightning, manual optimisation, two optimisers: a forecaster of hourly electricity load whose
slow calendar table (hour x weekday) and whose fast network learn at different rates.

The series is split in time: 70% / 15% / 15%. Scaling uses the first part only.
"""
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)

HISTORY, AHEAD = 48, 6


def synth_load(hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    day, week = t % 24, (t // 24) % 7
    base = 30 + 8 * np.sin(2 * np.pi * (day - 7) / 24) + 3 * np.sin(4 * np.pi * day / 24)
    base = base * np.where(week >= 5, 0.8, 1.0)
    weather, shock = np.zeros(hours), rng.normal(0, 1.0, hours)
    for i in range(2, hours):                                   # slow, oscillating AR(2)
        weather[i] = 1.60 * weather[i - 1] - 0.64 * weather[i - 2] + 0.35 * shock[i]
    return base + 2.0 * weather + rng.normal(0, 0.4, hours), day, week


class Windows(Dataset):
    """Windows whose forecast part begins in [start, stop)."""

    def __init__(self, z, day, week, start, stop):
        self.z = torch.tensor(z, dtype=torch.float32)
        self.slot = torch.tensor(week * 24 + day)
        self.at = range(max(start, HISTORY), stop - AHEAD + 1)

    def __len__(self):
        return len(self.at)

    def __getitem__(self, i):
        k = self.at[i]
        span = slice(k - HISTORY, k + AHEAD)
        return self.z[k - HISTORY:k], self.slot[span], self.z[k:k + AHEAD]


class LoadData(L.LightningDataModule):
    def setup(self, stage=None):
        load, day, week = synth_load(24 * 7 * 60, seed=42)
        n = len(load)
        a, b = int(0.70 * n), int(0.85 * n)
        self.mean, self.std = load[:a].mean(), load[:a].std()
        z = (load - self.mean) / self.std
        # a validation window may look back into training hours, as it would in service; it never forecasts one
        self.parts = {"train": Windows(z, day, week, 0, a), "val": Windows(z, day, week, a, b),
                      "test": Windows(z, day, week, b, n)}

    def train_dataloader(self):
        return DataLoader(self.parts["train"], batch_size=64, shuffle=True)     # windows shuffled inside the past

    def val_dataloader(self):
        return DataLoader(self.parts["val"], batch_size=256)

    def test_dataloader(self):
        return DataLoader(self.parts["test"], batch_size=256)


class Forecaster(L.LightningModule):
    def __init__(self, fast_lr=2e-3, slow_lr=1e-2, epochs=12):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.calendar = nn.Embedding(24 * 7, 1)
        nn.init.normal_(self.calendar.weight, std=0.1)
        self.net = nn.Sequential(nn.Linear(HISTORY, 64), nn.GELU(), nn.Linear(64, AHEAD))

    def forward(self, past, slot):
        usual = self.calendar(slot).squeeze(-1)
        residual = past - usual[:, :HISTORY]                 # what the calendar does not explain
        return usual[:, HISTORY:] + self.net(residual)

    def configure_optimizers(self):
        fast = torch.optim.Adam(self.net.parameters(), lr=self.hparams.fast_lr)
        slow = torch.optim.Adam(self.calendar.parameters(), lr=self.hparams.slow_lr)
        sch = [torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=self.hparams.epochs) for o in (fast, slow)]
        return [fast, slow], sch

    def training_step(self, batch, _):
        past, slot, future = batch
        loss = F.mse_loss(self(past, slot), future)
        fast, slow = self.optimizers()
        fast.zero_grad()
        slow.zero_grad()
        self.manual_backward(loss)              # one backward feeds both
        fast.step()
        slow.step()
        self.log("train_mse", loss, on_step=False, on_epoch=True, batch_size=len(past))

    def on_train_epoch_end(self):
        for sch in self.lr_schedulers():
            sch.step()
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d}  train mse {m['train_mse']:.4f}  val mse {m['val_mse']:.4f}")

    def validation_step(self, batch, _):
        past, slot, future = batch
        self.log("val_mse", F.mse_loss(self(past, slot), future), batch_size=len(past))

    def test_step(self, batch, _):
        past, slot, future = batch
        out = self(past, slot)
        day_before = past[:, 24:24 + AHEAD]       # the same hours of the day before
        self.log("test_mse", F.mse_loss(out, future), batch_size=len(past))
        self.log("test_mse_yesterday", F.mse_loss(day_before, future), batch_size=len(past))


if __name__ == "__main__":
    L.seed_everything(1, verbose=False)
    data, model = LoadData(), Forecaster()
    trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(model, datamodule=data)
    out = trainer.test(model, datamodule=data, verbose=False)[0]
    print(f"test: rmse {out['test_mse'] ** 0.5 * data.std:.3f} MW   "
          f"'as yesterday' {out['test_mse_yesterday'] ** 0.5 * data.std:.3f} MW")
