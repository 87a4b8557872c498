from types import SimpleNamespace

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

cfg = SimpleNamespace(seed=4, dim=20, fine=8, coarse=2, batch=64, pre_epochs=4, ft_epochs=8, lr=3e-3)
torch.manual_seed(cfg.seed)

centres = torch.randn(cfg.fine, cfg.dim) * 1.3


def sample(n):
    fine = torch.randint(0, cfg.fine, (n,))
    x = centres[fine] + 0.8 * torch.randn(n, cfg.dim)
    return x, fine, (fine >= cfg.fine // 2).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(cfg.dim, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.fc = nn.Linear(64, cfg.coarse)

    def forward(self, x):
        return self.fc(self.backbone(x))


def run_epochs(net, opt, loader, epochs, tag):
    crit = nn.CrossEntropyLoss()
    for e in range(epochs):
        net.train()
        seen = run = 0
        for xb, yb in loader:
            opt.zero_grad()
            loss = crit(net(xb), yb)
            loss.backward()
            opt.step()
            run += loss.item() * len(xb)
            seen += len(xb)
        print(f"{tag} epoch {e} loss {run / seen:.4f}")


x, fine, coarse = sample(2400)
net = Net()
optimizer = optim.Adam(net.parameters(), lr=cfg.lr)
run_epochs(net, optimizer, DataLoader(TensorDataset(x, coarse), cfg.batch, shuffle=True), cfg.pre_epochs, "coarse")

for p in net.backbone.parameters():
    p.requires_grad_(False)
optimizer = optim.Adam(net.fc.parameters(), lr=cfg.lr)
net.fc = nn.Linear(64, cfg.fine)
run_epochs(net, optimizer, DataLoader(TensorDataset(x, fine), cfg.batch, shuffle=True), cfg.ft_epochs, "fine")

net.eval()
xt, ft, _ = sample(800)
with torch.no_grad():
    print(f"fine accuracy {(net(xt).argmax(1) == ft).float().mean():.3f}")
