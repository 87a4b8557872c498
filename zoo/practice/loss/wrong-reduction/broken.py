"""The adding problem, short version."""
import argparse
import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--batch", type=int, default=64)
p.add_argument("--steps", type=int, default=500)
p.add_argument("--lr", type=float, default=0.05)
args = p.parse_args()
torch.manual_seed(6)


def problem(n, length=8):
    value = torch.rand(n, length)
    mark = torch.zeros(n, length)
    a = torch.randint(0, length // 2, (n,))
    b = torch.randint(length // 2, length, (n,))
    rows = torch.arange(n)
    mark[rows, a] = mark[rows, b] = 1
    return torch.stack([value, mark], -1), value[rows, a] + value[rows, b]


class Adder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1]).squeeze(-1)


model = Adder()
opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
mse = nn.MSELoss(reduction="sum")
for step in range(args.steps):
    x, y = problem(args.batch)
    loss = mse(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        print(f"step {step + 1} loss {loss.item():.5f}")
with torch.no_grad():
    x, y = problem(500)
    print(f"test mse {(model(x) - y).pow(2).mean().item():.4f}")
