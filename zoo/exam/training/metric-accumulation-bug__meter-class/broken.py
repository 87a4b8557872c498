import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(73)


class AverageMeter:
    def __init__(self, name):
        self.name = name
        self.reset()

    def reset(self):
        self.sum = self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(1, self.count)

    def __str__(self):
        return f"{self.name} {self.avg:.3f}"


METERS = {k: AverageMeter(k) for k in ("train loss", "val loss", "val acc")}


def train_one_epoch(model, loader, opt):
    METERS["train loss"].reset()
    model.train()
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        METERS["train loss"].update(loss.item(), len(y))


@torch.no_grad()
def validate(model, loader):
    model.eval()
    for x, y in loader:
        out = model(x)
        METERS["val loss"].update(nn.functional.cross_entropy(out, y).item(), len(y))
        METERS["val acc"].update((out.argmax(1) == y).float().mean().item(), len(y))


d = load_digits()
X, Y = torch.tensor(d.data / 16, dtype=torch.float32), torch.tensor(d.target)
perm = torch.randperm(len(X))
tr, va = perm[:1300], perm[1300:]
loaders = DataLoader(TensorDataset(X[tr], Y[tr]), 50, shuffle=True), DataLoader(TensorDataset(X[va], Y[va]), 100)
model = nn.Sequential(nn.Linear(64, 32), nn.Sigmoid(), nn.Linear(32, 10))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(14):
    train_one_epoch(model, loaders[0], opt)
    validate(model, loaders[1])
    print(f"epoch {epoch:02d} | " + " | ".join(str(m) for m in METERS.values()))
