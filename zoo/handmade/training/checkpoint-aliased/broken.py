"""Learn the forward kinematics of a planar three-joint arm."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    n_train: int = 2000
    n_val: int = 500
    n_test: int = 1000
    hidden: int = 48
    lr: float = 5e-3
    batch_size: int = 50
    epochs: int = 29
    seed: int = 0


def arm_data(n):
    """Joint angles (scaled) and the position of the tip."""
    angles = (torch.rand(n, 3) * 2 - 1) * 1.5
    reach = torch.cumsum(angles, dim=1)
    lengths = torch.tensor([1.0, 0.8, 0.6])
    tip = torch.stack([(lengths * reach.cos()).sum(1), (lengths * reach.sin()).sum(1)], dim=1)
    return angles / 0.87, tip


def make_model(cfg):
    return nn.Sequential(
        nn.Linear(3, cfg.hidden),
        nn.ReLU(),
        nn.Linear(cfg.hidden, cfg.hidden),
        nn.ReLU(),
        nn.Linear(cfg.hidden, 2),
    )


@torch.no_grad()
def rmse(model, inputs, targets):
    model.eval()
    return (model(inputs) - targets).pow(2).mean().sqrt().item()


def train(model, loader, val, cfg):
    loss_fn = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    best_rmse, best_epoch, best_weights = float("inf"), 0, None
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        for inputs, targets in loader:
            loss = loss_fn(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        val_rmse = rmse(model, *val)
        if val_rmse < best_rmse:
            best_rmse, best_epoch = val_rmse, epoch
            best_weights = model.state_dict()
        print(f"epoch {epoch:2d}: val rmse {val_rmse:.4f}")
    model.load_state_dict(best_weights)
    print(f"best epoch {best_epoch}, val rmse {best_rmse:.4f}")
    return model


def main(cfg):
    torch.manual_seed(cfg.seed)
    x, y = arm_data(cfg.n_train + cfg.n_val + cfg.n_test)
    x_train, x_val, x_test = x.split([cfg.n_train, cfg.n_val, cfg.n_test])
    y_train, y_val, y_test = y.split([cfg.n_train, cfg.n_val, cfg.n_test])
    mean, std = y_train.mean(0), y_train.std(0)
    y_train, y_val, y_test = ((t - mean) / std for t in (y_train, y_val, y_test))

    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=cfg.batch_size, shuffle=True)
    model = train(make_model(cfg), loader, (x_val, y_val), cfg)
    print(f"test rmse {rmse(model, x_test, y_test):.4f}")


if __name__ == "__main__":
    main(Config())
