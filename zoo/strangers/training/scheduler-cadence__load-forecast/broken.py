"""Six-hour-ahead electricity load forecast with Lightning."""
import logging
import warnings

import lightning as L
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
for name in ("lightning.pytorch", "lightning.fabric"):
    logging.getLogger(name).setLevel(logging.ERROR)

HISTORY, HORIZON = 48, 6


def hourly_load(hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    weather = np.zeros(hours)
    for i in range(1, hours):
        weather[i] = 0.97 * weather[i - 1] + rng.normal(0, 0.12)
    day = np.sin(2 * np.pi * t / 24) + 0.5 * np.sin(4 * np.pi * t / 24 + 0.7)
    weekend = ((t // 24) % 7 >= 5).astype(float)
    load = 50 + 10 * day * (1 - 0.4 * weekend) - 4 * weekend + 6 * weather + 3 * day * weather + rng.normal(0, 0.8, hours)
    return load.astype(np.float32)


def windows(series):
    starts = np.arange(len(series) - HISTORY - HORIZON)
    x = np.stack([series[s:s + HISTORY] for s in starts])
    y = np.stack([series[s + HISTORY:s + HISTORY + HORIZON] for s in starts])
    return torch.from_numpy(x), torch.from_numpy(y)


class LoadData(L.LightningDataModule):
    def __init__(self, batch_size=64):
        super().__init__()
        self.batch_size = batch_size
        load = hourly_load(24 * 7 * 30, seed=9)
        cut = int(0.8 * len(load))
        self.mean, self.std = load[:cut].mean(), load[:cut].std()
        load = (load - self.mean) / self.std
        self.train_set = TensorDataset(*windows(load[:cut]))
        self.val_set = TensorDataset(*windows(load[cut:]))

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=256)


class Forecaster(L.LightningModule):
    def __init__(self, hidden=96, peak_lr=4e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(HISTORY, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, HORIZON),
        )

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.mse_loss(self(x), y)
        self.log("train_mse", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_mse", nn.functional.mse_loss(self(x), y))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.peak_lr)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=self.hparams.peak_lr, div_factor=100,
            total_steps=self.trainer.estimated_stepping_batches)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler}}


class PrintEpochs(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        m = trainer.callback_metrics
        print(f"epoch {trainer.current_epoch:2d}  train mse {m['train_mse']:.4f}  val mse {m['val_mse']:.4f}")


def main():
    L.seed_everything(1, verbose=False)
    data, model = LoadData(), Forecaster()
    trainer = L.Trainer(
        max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, num_sanity_val_steps=0, callbacks=[PrintEpochs()])
    trainer.fit(model, data)
    mse = trainer.callback_metrics["val_mse"].item()
    print(f"val mse {mse:.4f}   rmse in MW {mse ** 0.5 * data.std:.3f}")


if __name__ == "__main__":
    main()
