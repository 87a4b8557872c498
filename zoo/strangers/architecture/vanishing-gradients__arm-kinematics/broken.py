"""Forward kinematics of a planar four-joint arm, learned by a deep MLP.

Input: joint angles (as sines and cosines). Output: x/y position of the gripper.
"""
from dataclasses import dataclass, asdict
from typing import Tuple

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid}


@dataclass
class ExperimentConfig:
    num_samples: int = 6000
    hidden_size: int = 64
    num_hidden_layers: int = 12
    activation: str = "sigmoid"
    batch_size: int = 128
    learning_rate: float = 1e-3
    num_epochs: int = 25
    seed: int = 42


def generate_dataset(n: int, generator: torch.Generator) -> Tuple[Tensor, Tensor]:
    """Sample joint configurations and compute the gripper position."""
    lengths = torch.tensor([1.0, 0.8, 0.6, 0.4])
    limits = torch.tensor([2.6, 1.6, 1.6, 1.2])
    angles = (torch.rand(n, 4, generator=generator) * 2 - 1) * limits
    absolute = angles.cumsum(dim=1)
    position = torch.stack(
        [(lengths * absolute.cos()).sum(dim=1), (lengths * absolute.sin()).sum(dim=1)], dim=1
    )
    features = torch.cat([angles.sin(), angles.cos()], dim=1)
    return features, position


def build_mlp(in_features: int, out_features: int, cfg: ExperimentConfig) -> nn.Sequential:
    """Stack of fully connected layers, Xavier initialised with the gain of the activation."""
    layers = []
    width = in_features
    for _ in range(cfg.num_hidden_layers):
        layers.append(nn.Linear(width, cfg.hidden_size))
        layers.append(ACTIVATIONS[cfg.activation]())
        width = cfg.hidden_size
    layers.append(nn.Linear(width, out_features))
    network = nn.Sequential(*layers)
    gain = nn.init.calculate_gain(cfg.activation)
    for module in network:
        if isinstance(module, nn.Linear):
            nn.init.xavier_normal_(module.weight, gain=gain)
            nn.init.zeros_(module.bias)
    return network


class Standardizer:
    """Zero-mean, unit-variance scaling with statistics of the training data."""

    def __init__(self, data: Tensor) -> None:
        self.mean = data.mean(dim=0)
        self.std = data.std(dim=0)

    def transform(self, data: Tensor) -> Tensor:
        return (data - self.mean) / self.std

    def inverse(self, data: Tensor) -> Tensor:
        return data * self.std + self.mean


def train_one_epoch(model: nn.Module, loader: DataLoader, optimizer: torch.optim.Optimizer) -> float:
    model.train()
    running = 0.0
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        running += loss.item() * inputs.size(0)
    return running / len(loader.dataset)


@torch.no_grad()
def evaluate(model: nn.Module, inputs: Tensor, positions: Tensor, scaler: Standardizer) -> Tuple[float, float]:
    """Mean Euclidean error in arm units, and R^2."""
    model.eval()
    predicted = scaler.inverse(model(inputs))
    distance = (predicted - positions).norm(dim=1).mean().item()
    residual = ((predicted - positions) ** 2).sum()
    total = ((positions - positions.mean(dim=0)) ** 2).sum()
    return distance, (1 - residual / total).item()


def main() -> None:
    cfg = ExperimentConfig()
    print(asdict(cfg))
    torch.manual_seed(cfg.seed)
    generator = torch.Generator().manual_seed(cfg.seed)

    features, positions = generate_dataset(cfg.num_samples, generator)
    n_train, n_val = int(0.7 * cfg.num_samples), int(0.15 * cfg.num_samples)
    x_train, x_val, x_test = features.split([n_train, n_val, cfg.num_samples - n_train - n_val])
    p_train, p_val, p_test = positions.split([n_train, n_val, cfg.num_samples - n_train - n_val])

    x_scaler, p_scaler = Standardizer(x_train), Standardizer(p_train)
    train_loader = DataLoader(
        TensorDataset(x_scaler.transform(x_train), p_scaler.transform(p_train)),
        batch_size=cfg.batch_size,
        shuffle=True,
    )

    model = build_mlp(features.size(1), positions.size(1), cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.learning_rate)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg.num_epochs)

    for epoch in range(1, cfg.num_epochs + 1):
        train_loss = train_one_epoch(model, train_loader, optimizer)
        scheduler.step()
        distance, r2 = evaluate(model, x_scaler.transform(x_val), p_val, p_scaler)
        print(f"Epoch {epoch:3d} - train MSE: {train_loss:.5f} - val error: {distance:.4f} - val R2: {r2:.4f}")

    distance, r2 = evaluate(model, x_scaler.transform(x_test), p_test, p_scaler)
    print(f"Test error: {distance:.4f}, test R2: {r2:.4f}")


if __name__ == "__main__":
    main()
