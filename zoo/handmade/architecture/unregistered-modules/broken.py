"""Recognise the operating mode of a pump from eight standardised sensor readings."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class PumpReadings(Dataset):
    """Synthetic readings: the mode depends on how pairs of sensors move together."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        x = torch.randn(n, 8, generator=g)
        suction = (x[:, 0] * x[:, 1] + 0.5 * x[:, 4] > 0).long()
        discharge = (x[:, 2] * x[:, 3] - 0.5 * x[:, 5] > 0).long()
        self.x = x
        self.mode = 2 * suction + discharge

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.mode[i]


class ModeClassifier(nn.Module):
    def __init__(self, n_features, width, depth, n_modes):
        super().__init__()
        sizes = [n_features] + [width] * depth
        self.layers = [nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]
        self.head = nn.Linear(width, n_modes)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)


def evaluate(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for x, mode in loader:
            hits += (model(x).argmax(1) == mode).sum().item()
            total += len(mode)
    return hits / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=48)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    train_loader = DataLoader(PumpReadings(6000, 1), batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(PumpReadings(1000, 2), batch_size=500)
    test_loader = DataLoader(PumpReadings(2000, 3), batch_size=500)

    model = ModeClassifier(8, args.width, args.depth, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(1, args.epochs + 1):
        model.train()
        running = 0.0
        for x, mode in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), mode)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(mode)
        scheduler.step()
        if epoch % 4 == 0:
            mean_loss = running / len(train_loader.dataset)
            val_acc = evaluate(model, val_loader)
            print(f"epoch {epoch:2d}  loss {mean_loss:.4f}  val accuracy {val_acc:.3f}")

    print(f"test accuracy {evaluate(model, test_loader):.3f}")


if __name__ == "__main__":
    main()
