# Soft sensor: estimate shaft power of a pump skid from the historian tags.
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset

TAGS = ["suction_pa", "discharge_pa", "flow_m3h", "speed_rpm", "oil_temp_k", "valve_frac"]
TARGET = "power_kw"


@dataclass(frozen=True)
class TrainSpec:
    rows: int = 4000
    width: int = 64
    epochs: int = 30
    batch_size: int = 64
    learning_rate: float = 2e-3
    seed: int = 7


def read_historian(spec: TrainSpec) -> pd.DataFrame:
    rng = np.random.default_rng(spec.seed)
    n = spec.rows
    df = pd.DataFrame(
        {
            "suction_pa": rng.normal(101_325, 900, n),
            "discharge_pa": rng.normal(640_000, 55_000, n),
            "flow_m3h": rng.gamma(9.0, 12.0, n),
            "speed_rpm": rng.normal(2950, 130, n),
            "oil_temp_k": rng.normal(331, 5, n),
            "valve_frac": rng.beta(5, 2, n),
        }
    )
    head = (df["discharge_pa"] - df["suction_pa"]) / 1e5
    efficiency = 0.78 - 0.25 * (df["valve_frac"] - 0.7) ** 2 - 0.00001 * (df["flow_m3h"] - 110) ** 2
    hydraulic = df["flow_m3h"] / 36 * head / efficiency
    friction = 1.5 * (df["speed_rpm"] / 2950) ** 3 * (1 - 0.03 * (df["oil_temp_k"] - 331))
    df[TARGET] = hydraulic + friction + rng.normal(0, 0.3, n)
    return df


class HistorianDataset(Dataset):
    def __init__(self, frame: pd.DataFrame, reference: pd.DataFrame):
        centre, spread = reference.mean(), reference.std()
        x, y = frame[TAGS], (frame[TARGET] - centre[TARGET]) / spread[TARGET]
        self.x = torch.tensor(x.to_numpy(), dtype=torch.float32)
        self.y = torch.tensor(y.to_numpy(), dtype=torch.float32)
        self.unit = float(spread[TARGET])

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, i: int):
        return self.x[i], self.y[i]


class SoftSensor(nn.Module):
    def __init__(self, n_tags: int, width: int):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_tags, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.head = nn.Linear(width, 1)

    def forward(self, tags: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(tags)).squeeze(-1)


def report(model: nn.Module, data: HistorianDataset) -> dict[str, float]:
    model.eval()
    with torch.no_grad():
        residual = model(data.x) - data.y
    mae_kw = residual.abs().mean().item() * data.unit
    r2 = 1.0 - residual.square().sum().item() / (data.y - data.y.mean()).square().sum().item()
    return {"mae_kw": round(mae_kw, 3), "r2": round(r2, 4)}


def fit(spec: TrainSpec) -> None:
    torch.manual_seed(spec.seed)
    df = read_historian(spec).sample(frac=1.0, random_state=spec.seed).reset_index(drop=True)
    n_train, n_valid = int(0.7 * len(df)), int(0.15 * len(df))
    parts = {
        "train": df.iloc[:n_train],
        "valid": df.iloc[n_train:n_train + n_valid],
        "test": df.iloc[n_train + n_valid:],
    }
    sets = {name: HistorianDataset(part, reference=parts["train"]) for name, part in parts.items()}
    loader = DataLoader(sets["train"], batch_size=spec.batch_size, shuffle=True)

    model = SoftSensor(len(TAGS), spec.width)
    opt = optim.Adam(model.parameters(), lr=spec.learning_rate)
    loss_fn = nn.MSELoss()

    for epoch in range(spec.epochs):
        model.train()
        epoch_loss = 0.0
        for tags, power in loader:
            loss = loss_fn(model(tags), power)
            opt.zero_grad()
            loss.backward()
            opt.step()
            epoch_loss += loss.item() * len(power)
        if (epoch + 1) % 5 == 0:
            print(f"epoch {epoch + 1:>3} | mse {epoch_loss / len(sets['train']):.4f} | valid {report(model, sets['valid'])}")

    print("test", report(model, sets["test"]))


if __name__ == "__main__":
    fit(TrainSpec())
