"""Multi-task room model: is somebody in, and how much power will be drawn (Lightning)."""
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class RoomData(L.LightningDataModule):
    """Each sample is a 2-hour window (24 x 5 min) of CO2, temperature, humidity and light."""

    def __init__(self, n_days=100, windows_per_day=30, batch_size=64, seed=3):
        super().__init__()
        self.save_hyperparameters()

    def _day(self, rng):
        season = rng.normal(0, 1)
        xs, occ, kw = [], [], []
        for _ in range(self.hparams.windows_per_day):
            present = rng.random() < 0.42
            people = rng.integers(1, 5) if present else 0
            t = np.arange(24)
            start = rng.integers(0, 14) if present else 24
            inside = np.clip(t - start, 0, None)
            co2 = 430 + 25 * season + people * 30 * (1 - np.exp(-inside / 10)) + rng.normal(0, 25, 24)
            temp = 20.5 + 1.5 * season + 0.05 * people * inside ** 0.7 + rng.normal(0, 0.3, 24)
            hum = 45 + 4 * rng.normal() + 0.15 * people * inside ** 0.5 + rng.normal(0, 1.5, 24)
            daylight = max(0.0, rng.normal(180, 120))
            light = daylight + 120 * (inside > 0) * (rng.random() < 0.7) + rng.normal(0, 30, 24)
            power = 0.4 + 0.22 * people + 0.25 * abs(temp.mean() - 21) + rng.gamma(2, 0.07)
            xs.append(np.stack([co2, temp, hum, light]))
            occ.append(float(present))
            kw.append(power)
        return np.array(xs, np.float32), np.array(occ, np.float32), np.array(kw, np.float32)

    def setup(self, stage=None):
        if hasattr(self, "train"):
            return
        rng = np.random.default_rng(self.hparams.seed)
        days = [self._day(rng) for _ in range(self.hparams.n_days)]
        n_train = int(0.75 * len(days))
        xt, ot, kt = (torch.from_numpy(np.concatenate(p)) for p in zip(*days[:n_train]))
        xv, ov, kv = (torch.from_numpy(np.concatenate(p)) for p in zip(*days[n_train:]))
        mu, sd = xt.mean((0, 2), keepdim=True), xt.std((0, 2), keepdim=True)
        k_mu, k_sd = kt.mean(), kt.std()
        self.train = TensorDataset((xt - mu) / sd, ot, (kt - k_mu) / k_sd)
        self.val = TensorDataset((xv - mu) / sd, ov, (kv - k_mu) / k_sd)

    def train_dataloader(self):
        return DataLoader(self.train, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, 256)


class RoomModel(L.LightningModule):
    def __init__(self, hidden=32, max_lr=5e-3):
        super().__init__()
        self.save_hyperparameters()
        self.gru = nn.GRU(4, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.occupied = nn.Linear(hidden, 1)
        self.power = nn.Linear(hidden, 1)
        # homoscedastic task weights (Kendall et al.), so the total can go below zero
        self.log_var = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        _, h = self.gru(x.transpose(1, 2))
        z = self.norm(h[-1])
        return self.occupied(z).squeeze(-1), self.power(z).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, occ, kw = batch
        logit, pred = self(x)
        bce = F.binary_cross_entropy_with_logits(logit, occ)
        mse = F.mse_loss(pred, kw)
        lv = self.log_var
        return torch.exp(-lv[0]) * bce + 0.5 * lv[0] + 0.5 * (torch.exp(-lv[1]) * mse + lv[1])

    def on_validation_epoch_start(self):
        self.seen = []

    def validation_step(self, batch, batch_idx):
        x, occ, kw = batch
        logit, pred = self(x)
        self.seen.append(torch.stack([(logit > 0).float(), occ, pred, kw]))

    def on_validation_epoch_end(self):
        hard, occ, pred, kw = torch.cat(self.seen, dim=1)
        self.log("val_acc", (hard == occ).float().mean())
        self.log("val_r2", 1 - ((pred - kw) ** 2).sum() / ((kw - kw.mean()) ** 2).sum())

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.max_lr, weight_decay=1e-3)
        sched = torch.optim.lr_scheduler.OneCycleLR(
            opt, max_lr=self.hparams.max_lr, total_steps=self.trainer.estimated_stepping_batches)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


if __name__ == "__main__":
    L.seed_everything(3, verbose=False)
    dm = RoomData()
    model = RoomModel()
    trainer = L.Trainer(max_epochs=6, accelerator="cpu", devices=1, gradient_clip_val=1.0, logger=False,
                        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(model, datamodule=dm)
    metrics = trainer.validate(model, datamodule=dm, verbose=False)[0]
    occ = dm.val.tensors[1].mean().item()
    print(f"val acc {metrics['val_acc']:.4f} (majority {max(occ, 1 - occ):.4f})  "
          f"val R2 {metrics['val_r2']:.4f} (mean predictor 0)  task log-variances {model.log_var.tolist()}")
