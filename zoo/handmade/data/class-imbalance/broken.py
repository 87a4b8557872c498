"""Find scratched tiles among camera patches of a production line."""

from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Config:
    intact: int = 4000
    scratched: int = 120
    size: int = 12
    channels: int = 8
    batch_size: int = 128
    epochs: int = 16
    lr: float = 1e-2
    seed: int = 17


def make_patches(count, scratched, size):
    patches = torch.randn(count, 1, size, size)
    if scratched:
        rows = torch.randint(2, size - 2, (count,))
        strength = 0.8 + 0.6 * torch.rand(count, 1)
        patches[torch.arange(count), 0, rows] += strength
    return patches


def make_split(cfg, share):
    intact, scratched = int(cfg.intact * share), int(cfg.scratched * share)
    x = torch.cat([make_patches(intact, False, cfg.size), make_patches(scratched, True, cfg.size)])
    y = torch.cat([torch.zeros(intact), torch.ones(scratched)]).long()
    return x, y


def build_model(cfg):
    return nn.Sequential(
        nn.Conv2d(1, cfg.channels, kernel_size=(1, cfg.size)),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d((1, 1)),
        nn.Flatten(),
        nn.Linear(cfg.channels, 2),
    )


def balanced_accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        predicted = model(x).argmax(dim=1)
    recalls = [(predicted[y == c] == c).float().mean().item() for c in (0, 1)]
    return sum(recalls) / 2


def fit(cfg, model, x, y):
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        model.train()
        order = torch.randperm(len(x))
        losses = []
        for i in range(0, len(x), cfg.batch_size):
            batch = order[i : i + cfg.batch_size]
            optimizer.zero_grad()
            loss = criterion(model(x[batch]), y[batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch:2d}  loss {sum(losses) / len(losses):.4f}")


if __name__ == "__main__":
    cfg = Config()
    torch.manual_seed(cfg.seed)
    x_train, y_train = make_split(cfg, 1.0)
    x_test, y_test = make_split(cfg, 0.5)

    model = build_model(cfg)
    fit(cfg, model, x_train, y_train)
    print(f"balanced test accuracy {balanced_accuracy(model, x_test, y_test):.3f}")
