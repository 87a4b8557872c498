"""Which of five gestures is it? A GRU reads the accelerometer, a small head names the gesture."""

import argparse
import math

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=11)
parser.add_argument("--batch-size", type=int, default=50)
parser.add_argument("--lr", type=float, default=4e-3)
parser.add_argument("--hidden", type=int, default=24)
parser.add_argument("--seed", type=int, default=2)
args = parser.parse_args()

torch.manual_seed(args.seed)
generator = torch.Generator().manual_seed(args.seed)


def gestures(n, length=24):
    """Circles, waves and shakes: the order of movements tells them apart, not their size."""
    kind = torch.randint(0, 5, (n,), generator=generator)
    start = torch.rand(n, 1, generator=generator) * 2 * math.pi
    time = torch.arange(length) / length * 2 * math.pi
    turn = torch.tensor([1.0, -1.0, 2.0, -2.0, 0.0])[kind].unsqueeze(1)
    x = torch.cos(turn * time + start)
    y = torch.sin(turn * time + start)
    signal = torch.stack([x, y], dim=2)
    return signal + 0.35 * torch.randn(n, length, 2, generator=generator), kind


class GestureNet(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.reader = nn.GRU(2, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 5))

    def read(self, signal):
        _, last = self.reader(signal)
        return last[0]

    def forward(self, signal):
        return self.head(self.read(signal))


def run_epoch(net, x, y, criterion, optimizer):
    net.train()
    total = 0.0
    for rows in torch.randperm(len(x)).split(args.batch_size):
        with torch.no_grad():
            state = net.read(x[rows])
        logits = net.head(state)
        loss = criterion(logits, y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows)
    return total / len(x)


x_train, y_train = gestures(1200)
x_test, y_test = gestures(500)
net = GestureNet(args.hidden)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
for epoch in range(args.epochs):
    loss = run_epoch(net, x_train, y_train, criterion, optimizer)
    print(f"epoch {epoch:2d} loss {loss:.4f}")

net.eval()
with torch.no_grad():
    accuracy = (net(x_test).argmax(1) == y_test).float().mean().item()
print(f"test accuracy {accuracy:.3f}")
