import torch
import torch.nn.functional as F


def fit(trunk, head, loader, cfg):
    opt = torch.optim.SGD(
        [
            {"params": trunk.parameters(), "lr": cfg.slow},
            {"params": head.parameters(), "lr": cfg.fast},
        ]
    )
    for epoch in range(cfg.epochs):
        for x, y in loader:
            with torch.set_grad_enabled(epoch >= cfg.warm_up):
                features = trunk(x)
            loss = F.cross_entropy(head(features), y)
            opt.zero_grad()
            loss.backward()
            opt.step()


def probe(trunk, head, loader):
    opt = torch.optim.Adam(head.parameters(), lr=1e-3)
    for x, y in loader:
        with torch.no_grad():
            features = trunk(x)
        loss = F.cross_entropy(head(features), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
