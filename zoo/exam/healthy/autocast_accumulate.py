from dataclasses import dataclass

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


@dataclass
class Cfg:
    micro: int = 16
    accum: int = 4
    epochs: int = 6
    lr: float = 4e-3


def micro_batches(loader, k):
    group = []
    for b in loader:
        group.append(b)
        if len(group) == k:
            yield group
            group = []
    if group:
        yield group


def main(cfg=Cfg()):
    torch.manual_seed(2)
    d = load_digits()
    ds = TensorDataset(torch.tensor(d.data / 8 - 1, dtype=torch.float32), torch.tensor(d.target))
    train, val = random_split(ds, [1440, len(ds) - 1440])
    net = nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.LayerNorm(96), nn.Linear(96, 10))
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        net.train()
        for group in micro_batches(DataLoader(train, cfg.micro, shuffle=True), cfg.accum):
            size = sum(len(y) for _, y in group)
            for x, y in group:
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    out = net(x)
                nn.functional.cross_entropy(out.float(), y, reduction="sum").div(size).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
        net.eval()
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            ok = sum((net(x).argmax(1) == y).sum().item() for x, y in DataLoader(val, 128))
        print(f"epoch {epoch} val acc {ok / len(val):.3f}")


main()
