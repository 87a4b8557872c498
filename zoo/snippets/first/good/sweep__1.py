import itertools
import torch
import torch.nn as nn


def sweep(train_loader, val_loader, grid):
    results = {}
    for lr, wd in itertools.product(grid["lr"], grid["wd"]):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
        opt = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=wd)
        for epoch in range(5):
            for x, y in train_loader:
                opt.zero_grad()
                nn.functional.cross_entropy(net(x), y).backward()
                opt.step()
        with torch.no_grad():
            ok = sum((net(x).argmax(1) == y).sum().item() for x, y in val_loader)
        results[lr, wd] = ok / len(val_loader.dataset)
    return max(results, key=results.get), results


# ensemble of five members, each with its own optimizer
members = []
for seed in range(5):
    torch.manual_seed(seed)
    m = build()
    o = torch.optim.Adam(m.parameters(), lr=1e-3)
    fit(m, o)
    members.append(m.eval())
