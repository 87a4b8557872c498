import logging
import warnings

import lightning as L
import numpy as np
import torch
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", ".*does not have many workers.*")


def simulate_farm(n, seed):
    """Turbine power (kW) from wind speed, air density, yaw error, pitch, turbulence and blade age."""
    g = np.random.default_rng(seed)
    wind = np.clip(9.0 * g.weibull(2.0, n), 0.0, 28.0)
    density = g.normal(1.20, 0.04, n)
    yaw = g.normal(0.0, 10.0, n)
    pitch = g.uniform(0.0, 8.0, n)
    turbulence = g.gamma(4.0, 0.03, n)
    age = g.uniform(0.0, 15.0, n)
    eff = np.cos(np.deg2rad(yaw)) ** 3 * (1 - 0.004 * pitch ** 2) * (1 - 0.01 * age) * (1 - 0.4 * turbulence)
    power = 0.9 * density * wind ** 3 * eff
    power = np.minimum(power, 2000.0 * (1 - 0.005 * age)) + g.normal(0, 30.0, n)
    x = np.stack([wind, density, yaw, pitch, turbulence, age], axis=1)
    return x.astype(np.float32), power.astype(np.float32)


class FarmData(L.LightningDataModule):
    def __init__(self, batch_size=160):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        x, y = simulate_farm(7000, seed=2024)
        parts = {"fit": slice(0, 5000), "val": slice(5000, 6000), "test": slice(6000, 7000)}
        self.xs = StandardScaler().fit(x[parts["fit"]])
        self.y_mean, self.y_std = y[parts["fit"]].mean(), y[parts["fit"]].std()
        self.sets = {}
        for name, sl in parts.items():
            xt = torch.from_numpy(self.xs.transform(x[sl]).astype(np.float32))
            yt = torch.from_numpy((y[sl] - self.y_mean) / self.y_std).unsqueeze(1)
            self.sets[name] = TensorDataset(xt, yt)

    def train_dataloader(self):
        return DataLoader(self.sets["fit"], batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.sets["val"], batch_size=500)

    def test_dataloader(self):
        return DataLoader(self.sets["test"], batch_size=500)


class PowerCurve(L.LightningModule):
    def __init__(self, hidden=96, lr=3e-3, weight_decay=0.5):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(6, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
            nn.Linear(hidden, 1),
        )
        self.seen = []

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.mse_loss(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self(x), y))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d}  train {m['train_loss']:.4f}  val {m['val_loss']:.4f}")

    def test_step(self, batch, _):
        x, y = batch
        self.seen.append((self(x), y))

    def on_test_epoch_end(self):
        pred = torch.cat([p for p, _ in self.seen])
        true = torch.cat([t for _, t in self.seen])
        self.seen.clear()
        r2 = 1 - ((pred - true) ** 2).sum() / ((true - true.mean()) ** 2).sum()
        mae = (pred - true).abs().mean() * self.trainer.datamodule.y_std
        print(f"test R2 {r2:.3f}   MAE {mae:.1f} kW")

    def configure_optimizers(self):
        return torch.optim.Adam(
            self.parameters(), lr=self.hparams.lr, weight_decay=self.hparams.weight_decay)


if __name__ == "__main__":
    L.seed_everything(17)
    data = FarmData()
    model = PowerCurve()
    trainer = L.Trainer(
        max_epochs=20, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(model, datamodule=data)
    trainer.test(model, datamodule=data, verbose=False)
