import logging
import warnings

import lightning as L
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", ".*num_workers.*")


def load_claims(n, seed):
    """Motor claims as they leave the warehouse, one row per closed claim."""
    rng = np.random.default_rng(seed)
    brand = rng.choice(["asta", "borel", "cinder", "dyna"], n)
    zone = rng.choice(["front", "rear", "side", "glass"], n, p=[0.35, 0.3, 0.25, 0.1])
    age = rng.uniform(0, 15, n)
    speed = rng.gamma(4, 9, n)
    airbag = (rng.random(n) < 1 / (1 + np.exp(-(speed - 45) / 8))).astype(int)
    mileage = age * rng.normal(13, 3, n).clip(3) + rng.uniform(0, 5, n)
    log_cost = (
        6.3
        + 0.022 * speed
        + 0.7 * airbag
        - 0.035 * age
        + pd.Series(brand).map({"asta": 0, "borel": 0.25, "cinder": 0.5, "dyna": -0.2}).to_numpy()
        + pd.Series(zone).map({"front": 0.3, "rear": 0.1, "side": 0.2, "glass": -0.6}).to_numpy()
        + 0.012 * speed * (zone == "side")
        + rng.normal(0, 0.35, n)
    )
    cost = np.exp(log_cost)
    return pd.DataFrame({
        "brand": brand,
        "zone": zone,
        "vehicle_age": age,
        "mileage_tkm": mileage,
        "impact_speed": speed,
        "airbag": airbag,
        "callout_hour": rng.integers(0, 24, n),
        "log_vat_paid": np.log(0.19 * cost) + rng.normal(0, 0.02, n),
        "repair_cost": cost,
    })


class ClaimsData(L.LightningDataModule):
    TARGET = "repair_cost"

    def __init__(self, n=5000, batch_size=64, seed=0):
        super().__init__()
        self.batch_size = batch_size
        df = load_claims(n, seed)
        y = np.log(df[self.TARGET].to_numpy())
        X = df.drop(columns=[self.TARGET])
        X_fit, X_test, y_fit, y_test = train_test_split(X, y, test_size=0.2, random_state=seed)
        X_train, X_val, y_train, y_val = train_test_split(X_fit, y_fit, test_size=0.2, random_state=seed)
        numeric = list(X.select_dtypes("number").columns)
        self.prep = ColumnTransformer([
            ("num", StandardScaler(), numeric),
            ("cat", OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["brand", "zone"]),
        ])
        self.prep.fit(X_train)
        self.mu, self.sigma = y_train.mean(), y_train.std()
        self.parts = {
            "train": self._pack(X_train, y_train),
            "val": self._pack(X_val, y_val),
            "test": self._pack(X_test, y_test),
        }
        self.n_features = self.parts["train"].tensors[0].shape[1]

    def _pack(self, X, y):
        z = (y - self.mu) / self.sigma
        return TensorDataset(
            torch.tensor(self.prep.transform(X), dtype=torch.float32),
            torch.tensor(z, dtype=torch.float32),
        )

    def train_dataloader(self):
        return DataLoader(self.parts["train"], batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.parts["val"], batch_size=500)

    def test_dataloader(self):
        return DataLoader(self.parts["test"], batch_size=500)


class CostModel(L.LightningModule):
    def __init__(self, n_features, lr=1e-3):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(
            nn.Linear(n_features, 64), nn.SiLU(),
            nn.Linear(64, 64), nn.SiLU(),
            nn.Linear(64, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, _):
        x, y = batch
        loss = nn.functional.huber_loss(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def _score(self, batch, stage):
        x, y = batch
        self.log(f"{stage}_mse", nn.functional.mse_loss(self(x), y), on_step=False, on_epoch=True)

    def validation_step(self, batch, _):
        self._score(batch, "val")

    def test_step(self, batch, _):
        self._score(batch, "test")

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        if self.current_epoch % 3 == 2:
            print(f"epoch {self.current_epoch:2d}  train {m['train_loss']:.4f}  val R2 {1 - m['val_mse']:.4f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.lr, weight_decay=1e-2)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.trainer.max_epochs)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "epoch"}}


if __name__ == "__main__":
    L.seed_everything(13, verbose=False)
    data = ClaimsData(seed=13)
    model = CostModel(data.n_features)
    trainer = L.Trainer(
        max_epochs=18, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
    )
    trainer.fit(model, datamodule=data)
    mse = trainer.test(model, datamodule=data, verbose=False)[0]["test_mse"]
    typical = float(np.exp(np.sqrt(mse) * data.sigma)) - 1
    print(f"test R2 {1 - mse:.4f}, typical error {100 * typical:.1f}% of the bill")
