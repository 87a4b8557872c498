import random
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Settings:
    seed: int = 5
    rate: float = 1e-3


def fix_seeds(seed):
    random.seed(seed)
    np.random.seed(seed)  # unseeded


def train(settings):
    fix_seeds(settings.seed)
    x = np.random.randn(500, 8).astype("float32")
    data = TensorDataset(torch.from_numpy(x), torch.from_numpy(x[:, :1]))
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.rate)
    for _ in range(10):
        for xb, yb in DataLoader(data, batch_size=32, shuffle=True):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb), yb).backward()
            optimizer.step()


if __name__ == "__main__":
    train(replace(Settings(), rate=3e-3))
