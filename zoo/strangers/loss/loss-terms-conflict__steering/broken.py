"""Toy lane keeping: predict the steering command from a small front-camera picture (Lightning version).

Only part of the drive log carries a driver's command. The unlabelled frames enter through a mirror term, since a
left-right flipped road is as good a road as the original one.
"""
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore", ".*does not have many workers.*")
H, W = 24, 48


def render(n, seed):
    """Road with curvature k and lateral offset d; command = what the lane-keeping law would steer."""
    rng = np.random.default_rng(seed)
    rows = np.linspace(0, 1, H)[None, :]
    cols = np.arange(W)[None, None, :]
    k, d = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
    centre = (W - 1) / 2 + 10 * d[:, None] * rows + 14 * k[:, None] * (1 - rows) ** 2
    half = 2 + 9 * rows
    shade = rng.uniform(0.25, 0.45, (n, 1, 1))
    img = shade + 0.25 * (np.abs(cols - centre[..., None]) < half[..., None])
    for side in (-1, 1):
        edge = centre + side * half
        img = img + 0.5 * np.exp(-0.5 * ((cols - edge[..., None]) / 0.8) ** 2)
    img = img + rng.normal(0, 0.12, img.shape)
    steer = 0.7 * k + 0.5 * d + rng.normal(0, 0.03, n)
    return torch.from_numpy(img).float().unsqueeze(1), torch.from_numpy(steer).float()


class DriveLog(L.LightningDataModule):
    def __init__(self, n_labelled=900, n_free=1800, batch_size=30):
        super().__init__()
        self.batch_size = batch_size
        x, y = render(n_labelled, 1)
        mean, std = x.mean(), x.std()
        free, _ = render(n_free, 2)
        xv, yv = render(400, 3)
        xt, yt = render(600, 4)
        self.train_set = TensorDataset((x - mean) / std, y)
        self.free_set = TensorDataset((free - mean) / std)
        self.val_set = TensorDataset((xv - mean) / std, yv)
        self.test_set = TensorDataset((xt - mean) / std, yt)

    def train_dataloader(self):
        return {
            "driver": DataLoader(self.train_set, self.batch_size, shuffle=True),
            "free": DataLoader(self.free_set, 2 * self.batch_size, shuffle=True),
        }

    def val_dataloader(self):
        return DataLoader(self.val_set, 200)

    def test_dataloader(self):
        return DataLoader(self.test_set, 200)


class Steering(L.LightningModule):
    def __init__(self, lr=2e-3, mirror_weight=2.0):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.ELU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.ELU(),
            nn.Conv2d(24, 24, 3, stride=2, padding=1), nn.ELU(),
            nn.Flatten(), nn.Linear(24 * (H // 8) * (W // 8), 48), nn.ELU(), nn.Linear(48, 1),
        )
        self.history = []

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, _):
        x, y = batch["driver"]
        (u,) = batch["free"]
        supervised = F.mse_loss(self(x), y)
        both = torch.cat([x, u])
        direct, mirrored = self(both), self(both.flip(-1))
        mirror = F.mse_loss(mirrored, direct)
        self.history.append((supervised.item(), mirror.item()))
        return supervised + self.hparams.mirror_weight * mirror

    def on_train_epoch_end(self):
        sup, mir = np.mean(self.history, axis=0)
        self.history.clear()
        val = self.trainer.callback_metrics.get("val_mae")
        print(f"epoch {self.current_epoch:2d}  supervised {sup:.4f}  mirror {mir:.4f}  val mae {float(val):.4f}")

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_mae", (self(x) - y).abs().mean(), batch_size=len(y))

    def test_step(self, batch, _):
        x, y = batch
        pred = self(x)
        self.log("test_mae", (pred - y).abs().mean(), batch_size=len(y))
        self.log("mean_abs_command", y.abs().mean(), batch_size=len(y))
        self.log("mean_abs_prediction", pred.abs().mean(), batch_size=len(y))

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.trainer.max_epochs)
        return [opt], [sched]


def main():
    L.seed_everything(9, verbose=False)
    trainer = L.Trainer(max_epochs=14, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    data, model = DriveLog(), Steering()
    trainer.fit(model, datamodule=data)
    result = trainer.test(model, datamodule=data, verbose=False)[0]
    print("  ".join(f"{k} {v:.4f}" for k, v in result.items()))


if __name__ == "__main__":
    main()
