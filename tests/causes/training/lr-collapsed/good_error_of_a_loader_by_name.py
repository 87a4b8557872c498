import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters())
plan = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=3)
sets = {name: TensorDataset(torch.randn(200, 4), torch.randn(200, 1)) for name in ("train", "held")}
loaders = {name: DataLoader(data, 32, shuffle=(name == "train")) for name, data in sets.items()}


def off_by(loader):
    with torch.no_grad():
        return torch.cat([(net(x) - y).abs() for x, y in loader]).mean().item()


for epoch in range(20):
    for x, y in loaders["train"]:
        opt.zero_grad()
        nn.functional.smooth_l1_loss(net(x), y).backward()
        opt.step()
    seen = off_by(loaders["held"])
    plan.step(seen)
