"""
Predictive maintenance: which of six actuator conditions does a valve stroke show?
Dilated causal convolutions over position and current, discriminative learning rates from bottom to top.
"""
import argparse

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

N_CONDITIONS = 6


def stroke(condition: int, rng: np.random.Generator, length: int = 96) -> np.ndarray:
    t = np.linspace(0, 1, length)
    opening = rng.uniform(0.25, 0.35)
    speed = rng.uniform(16, 22)
    position = 1 / (1 + np.exp(-speed * (t - opening)))
    current = 0.6 + 0.8 * np.exp(-((t - opening) / 0.06) ** 2)
    where = rng.uniform(0.5, 0.85)
    bump = np.exp(-((t - where) / 0.025) ** 2)
    slope = np.gradient(bump, t) * 0.025
    if condition == 1:
        current += 0.45 * bump
    elif condition == 2:
        current += 0.45 * slope
    elif condition == 3:
        current -= 0.45 * slope
    elif condition == 4:
        position -= 0.30 * bump
    elif condition == 5:
        position -= 0.30 * bump
        current += 0.45 * bump
    noise = rng.normal(0, [[0.05], [0.09]], (2, length))
    return np.stack([position, current]) + noise


def make_split(n: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    y = rng.integers(0, N_CONDITIONS, n)
    x = np.stack([stroke(c, rng) for c in y])
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


class CausalBlock(nn.Module):
    def __init__(self, c_in: int, c_out: int, dilation: int):
        super().__init__()
        self.pad = nn.ConstantPad1d((2 * dilation, 0), 0.0)
        self.conv = nn.Conv1d(c_in, c_out, kernel_size=3, dilation=dilation)
        self.norm = nn.GroupNorm(2, c_out)
        self.act = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.norm(self.conv(self.pad(x))))


class ValveTCN(nn.Module):
    def __init__(self, width: int = 12):
        super().__init__()
        dims = [2, width, width, width]
        self.blocks = nn.ModuleList(
            CausalBlock(a, b, dilation=2 ** i) for i, (a, b) in enumerate(zip(dims, dims[1:]))
        )
        self.head = nn.Linear(width, N_CONDITIONS)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return self.head(x.amax(dim=-1))

    def stages(self) -> list[nn.Module]:
        return [*self.blocks, self.head]


def param_groups(model: ValveTCN, base_lr: float) -> list[dict]:
    """Lower stages learn slower: the rate grows linearly from the first stage to the head."""
    stages = model.stages()
    groups = []
    for depth, stage in enumerate(stages, start=1):
        groups.append({"params": list(stage.parameters()), "lr": base_lr * (depth // len(stages))})
    return groups


def evaluate(model: nn.Module, loader: DataLoader) -> float:
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(dim=1) == y).sum().item()
    return correct / len(loader.dataset)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--lr", type=float, default=1e-2)
    ap.add_argument("--epochs", type=int, default=15)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    (xa, ya), (xb, yb), (xc, yc) = make_split(1500, rng), make_split(400, rng), make_split(400, rng)
    mean, std = xa.mean(dim=(0, 2), keepdim=True), xa.std(dim=(0, 2), keepdim=True)
    train = DataLoader(TensorDataset((xa - mean) / std, ya), batch_size=50, shuffle=True)
    valid = DataLoader(TensorDataset((xb - mean) / std, yb), batch_size=400)
    test = DataLoader(TensorDataset((xc - mean) / std, yc), batch_size=400)

    model = ValveTCN()
    optimizer = torch.optim.Adam(param_groups(model, args.lr))
    criterion = nn.CrossEntropyLoss()
    for epoch in range(1, args.epochs + 1):
        model.train()
        total = 0.0
        for x, y in train:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        print(f"epoch {epoch:2d}: loss {total / len(ya):.4f}, valid accuracy {evaluate(model, valid):.3f}")
    print(f"test accuracy {evaluate(model, test):.3f}")


if __name__ == "__main__":
    main()
