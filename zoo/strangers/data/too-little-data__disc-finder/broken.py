"""Find the bright disc: regress centre and radius from a cluttered camera frame (Lightning)."""
import logging
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", module="lightning")
SIDE = 28


def render(n, seed):
    """n frames with one filled disc, two distractor bars, a lighting gradient and sensor noise."""
    g = torch.Generator().manual_seed(seed)
    u = lambda lo, hi: lo + (hi - lo) * torch.rand(n, 1, 1, generator=g)
    yy, xx = torch.meshgrid(torch.arange(SIDE).float(), torch.arange(SIDE).float(), indexing="ij")
    cx, cy, r = u(5, SIDE - 5), u(5, SIDE - 5), u(2.5, 5.0)
    img = u(0.6, 1.0) * torch.sigmoid(3 * (r - ((xx - cx) ** 2 + (yy - cy) ** 2).sqrt()))
    for _ in range(2):
        angle, offset = u(0, 3.14159), u(-9, 9)
        line = (xx - SIDE / 2) * angle.cos() + (yy - SIDE / 2) * angle.sin() - offset
        img = img + u(0.4, 0.8) * torch.sigmoid(3 * (1.0 - line.abs()))
    img = img + u(-0.02, 0.02) * xx + u(-0.02, 0.02) * yy
    img = img + 0.12 * torch.randn(n, SIDE, SIDE, generator=g)
    target = torch.cat([cx, cy, r], dim=1).squeeze(-1)
    return img.unsqueeze(1), target


class Frames(L.LightningDataModule):
    def __init__(self, n_train: int = 96, n_val: int = 500, n_test: int = 1000, batch_size: int = 32):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        if hasattr(self, "train_set"):
            return
        hp = self.hparams
        x, y = render(hp.n_train, seed=10)
        self.mu, self.sd = x.mean(), x.std()
        self.y_mu, self.y_sd = y.mean(0), y.std(0)
        self.train_set = self._pack(x, y)
        self.val_set = self._pack(*render(hp.n_val, seed=11))
        self.test_set = self._pack(*render(hp.n_test, seed=12))

    def _pack(self, x, y):
        return TensorDataset((x - self.mu) / self.sd, (y - self.y_mu) / self.y_sd)

    def train_dataloader(self):
        return DataLoader(self.train_set, self.hparams.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, 250)

    def test_dataloader(self):
        return DataLoader(self.test_set, 250)


class DiscFinder(L.LightningModule):
    def __init__(self, y_sd, lr=2e-3):
        super().__init__()
        self.lr = lr
        self.register_buffer("y_sd", y_sd)
        self.net = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * 49, 64), nn.ReLU(), nn.Linear(64, 3),
        )

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        loss = F.smooth_l1_loss(self(x), y)
        self.log("train_loss", loss)
        if self.global_step % 150 == 0:
            print(f"step {self.global_step:4d}  train loss {loss.item():.4f}")
        return loss

    def validation_step(self, batch, _):
        self._score(batch, "val")

    def test_step(self, batch, _):
        self._score(batch, "test")

    def _score(self, batch, stage):
        x, y = batch
        p = self(x)
        err = (p - y) * self.y_sd
        self.log(f"{stage}_loss", F.smooth_l1_loss(p, y), batch_size=len(x))
        self.log(f"{stage}_centre_px", err[:, :2].norm(dim=1).mean(), batch_size=len(x))
        self.log(f"{stage}_radius_px", err[:, 2].abs().mean(), batch_size=len(x))

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"            val loss {m['val_loss']:.4f}  centre error {m['val_centre_px']:.2f} px")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=1e-2)
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, self.lr, total_steps=self.trainer.max_steps)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


def main():
    L.seed_everything(5, verbose=False)
    data = Frames()
    data.setup()
    model = DiscFinder(data.y_sd)
    trainer = L.Trainer(
        max_steps=900, val_check_interval=300, check_val_every_n_epoch=None, num_sanity_val_steps=0,
        accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False,
    )
    trainer.fit(model, datamodule=data)
    out = trainer.test(model, datamodule=data, verbose=False)[0]
    print(f"test: centre error {out['test_centre_px']:.2f} px, radius error {out['test_radius_px']:.2f} px")


if __name__ == "__main__":
    main()
