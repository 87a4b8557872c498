"""Classify stars from colours and brightness with PyTorch Lightning."""
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore", ".*num_workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)

N_TYPES = 4


def make_stars(n=2400, seed=3):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, N_TYPES, n)
    temp = np.choose(kind, [rng.normal(3.4, 0.25, n), rng.normal(5.6, 0.6, n), rng.normal(4.3, 0.4, n), rng.normal(11, 2.5, n)])
    lum = np.choose(kind, [rng.normal(-2.2, 0.5, n), rng.normal(0.0, 0.5, n), rng.normal(2.2, 0.5, n), rng.normal(-2.4, 0.5, n)])
    colour = np.column_stack([7.0 / temp + rng.normal(0, 0.1, n), 4.0 / temp + rng.normal(0, 0.1, n)])
    bright = np.column_stack([-2.5 * lum + rng.normal(0, 0.8, n), -2.5 * lum - 3 / temp + rng.normal(0, 0.8, n)])
    variability = rng.exponential(1.0, (n, 1)) * (1 + (kind == 2))[:, None]
    return np.hstack([colour, bright, variability]), kind


class StarData(L.LightningDataModule):
    def setup(self, stage=None):
        X, y = make_stars()
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=3)
        X_train, X_val, y_train, y_val = train_test_split(X_train, y_train, test_size=0.15, stratify=y_train, random_state=3)
        scaler = StandardScaler().fit(X_train)
        as_set = lambda X, y: TensorDataset(torch.tensor(scaler.transform(X), dtype=torch.float32), torch.tensor(y))
        self.train_set = as_set(X_train, y_train)
        self.val_set = as_set(X_val, y_val)
        self.test_set = as_set(X_test, y_test)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=64, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=256)

    def test_dataloader(self):
        return DataLoader(self.test_set, batch_size=256)


class StarClassifier(L.LightningModule):
    def __init__(self, n_features=5, hidden=32, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.model = nn.Sequential(
            nn.Linear(n_features, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, N_TYPES),
        )

    def forward(self, x):
        return self.model(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def _evaluate(self, batch, name):
        x, y = batch
        logits = self(x)
        self.log(f"{name}_loss", F.cross_entropy(logits, y))
        self.log(f"{name}_acc", (logits.argmax(1) == y).float().mean())

    def validation_step(self, batch, batch_idx):
        self._evaluate(batch, "val")

    def test_step(self, batch, batch_idx):
        self._evaluate(batch, "test")

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d} train loss {m['train_loss']:.4f} val loss {m['val_loss']:.4f} val acc {m['val_acc']:.3f}")

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-3)


def main():
    L.seed_everything(3)
    data = StarData()
    model = StarClassifier()
    trainer = L.Trainer(
        max_epochs=20, accelerator="cpu", devices=1, logger=False,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    trainer.fit(model, datamodule=data)
    result = trainer.test(model, datamodule=data, verbose=False)[0]
    print(f"test loss {result['test_loss']:.4f}, test accuracy {result['test_acc']:.4f}")


if __name__ == "__main__":
    main()
