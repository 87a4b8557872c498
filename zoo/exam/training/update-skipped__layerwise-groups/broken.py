from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class OptimCfg:
    base_lr: float = 4e-3
    stem_mult: int = int(0.5)
    head_mult: float = 1.0
    weight_decay: float = 1e-4


def param_groups(model, cfg):
    mult = {"stem": cfg.stem_mult, "head": cfg.head_mult}
    groups = []
    for name, child in model.named_children():
        groups.append({"params": list(child.parameters()), "lr": cfg.base_lr * mult[name], "name": name})
    return groups


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(30, 10), nn.Tanh(), nn.Linear(10, 6), nn.Tanh())
        self.head = nn.Linear(6, 4)

    def forward(self, x):
        return self.head(self.stem(x))


def xor_like(n):
    x = torch.randn(n, 30)
    a, b = x[:, :3].sum(1) > 0, x[:, 3:6].sum(1) > 0
    return x, (2 * a.long() + b.long())


def main():
    torch.manual_seed(13)
    cfg = OptimCfg()
    model = Model()
    opt = torch.optim.AdamW(param_groups(model, cfg), weight_decay=cfg.weight_decay)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=15)
    (x, y), (xt, yt) = xor_like(3000), xor_like(700)
    curve = []
    for epoch in range(15):
        for idx in torch.randperm(len(x)).split(60):
            loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
        with torch.no_grad():
            curve.append((model(xt).argmax(1) == yt).float().mean().item())
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1} loss {loss.item():.4f} test acc {curve[-1]:.3f}")


main()
