"""Remaining steam output of an industrial boiler from the last minutes of sensor readings (Lightning)."""
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

SENSORS = ["pressure_pa", "feed_temp_k", "drum_level_mm", "flue_o2_ppm"]


def simulate_plant(n_runs=900, length=24, seed=0):
    rng = np.random.default_rng(seed)
    base = np.array([1.013e5, 355.0, 2400.0, 32000.0])
    spread = np.array([420.0, 2.5, 18.0, 260.0])
    drift = rng.normal(0, 1, (n_runs, 1, 4)) * np.linspace(0.2, 1.0, length)[None, :, None]
    wiggle = np.cumsum(rng.normal(0, 0.12, (n_runs, length, 4)), axis=1)
    z = drift + wiggle
    x = base + spread * (z + rng.normal(0, 0.05, z.shape))
    last, mean = z[:, -1], z.mean(1)
    y = 30 + 4 * np.tanh(last[:, 0]) + 3 * last[:, 1] * (mean[:, 2] > 0) - 2 * mean[:, 3]
    return x, y + rng.normal(0, 0.3, n_runs)


class BoilerData(L.LightningDataModule):
    def __init__(self, batch_size=32):
        super().__init__()
        self.batch_size = batch_size
        self.x_scaler = StandardScaler(with_mean=False)
        self.y_scaler = StandardScaler()

    def setup(self, stage=None):
        x, y = simulate_plant()
        n_train, n_val = 600, 150
        flat = x[:n_train].reshape(-1, x.shape[-1])
        self.x_scaler.fit(flat)
        self.y_scaler.fit(y[:n_train, None])

        def pack(a, b):
            xs = self.x_scaler.transform(a.reshape(-1, a.shape[-1])).reshape(a.shape)
            ys = self.y_scaler.transform(b[:, None])
            return TensorDataset(torch.tensor(xs, dtype=torch.float32), torch.tensor(ys, dtype=torch.float32))

        self.train = pack(x[:n_train], y[:n_train])
        self.val = pack(x[n_train:n_train + n_val], y[n_train:n_train + n_val])
        self.test = pack(x[n_train + n_val:], y[n_train + n_val:])

    def train_dataloader(self):
        return DataLoader(self.train, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, 150)

    def test_dataloader(self):
        return DataLoader(self.test, 150)


class SteamModel(L.LightningModule):
    def __init__(self, hidden=32, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.GRU(len(SENSORS), hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, 32), nn.ReLU(), nn.Linear(32, 1))
        self.loss = nn.SmoothL1Loss()

    def forward(self, x):
        _, h = self.rnn(x)
        return self.head(h[-1])

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", self.loss(self(x), y), on_epoch=True)

    def test_step(self, batch, batch_idx):
        x, y = batch
        pred = self(x)
        r2 = 1 - ((pred - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()
        self.log("test_r2", r2)

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        return {"optimizer": opt,
                "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.max_epochs)}


class Printer(L.Callback):
    def on_validation_epoch_end(self, trainer, module):
        if trainer.sanity_checking or trainer.current_epoch % 5:
            return
        print(f"epoch {trainer.current_epoch:2d} val_loss {trainer.callback_metrics['val_loss']:.4f}")


if __name__ == "__main__":
    L.seed_everything(1, verbose=False)
    dm, model = BoilerData(), SteamModel()
    trainer = L.Trainer(max_epochs=21, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, gradient_clip_val=5.0,
                        callbacks=[Printer()])
    trainer.fit(model, dm)
    result = trainer.test(model, dm, verbose=False)[0]
    print({k: round(v, 3) for k, v in result.items()})
