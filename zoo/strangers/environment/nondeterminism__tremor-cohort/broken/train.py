import copy
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from cohort import as_arrays, simulate, split
from model import WindowAttention

CFG = dict(seed=0, patients=150, epochs=60, batch=16, lr=1.5e-3, weight_decay=1e-2, jitter=0.25)


def reproducible(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)


def huber(pred, target, delta=1.0):
    r = (pred - target).abs()
    return torch.where(r < delta, 0.5 * r ** 2, delta * (r - 0.5 * delta)).mean()


@torch.no_grad()
def mean_abs_error(net, x, y, scale):
    net.eval()
    return (net(x) - y).abs().mean().item() * scale


def run(cfg):
    reproducible(cfg["seed"])
    groups = split(simulate(cfg["patients"], np.random.default_rng(cfg["seed"])))
    for name, g in groups.items():
        print(f"{name:>5s}: {len({v.patient for v in g}):3d} patients, {len(g):3d} visits")

    x, y = as_arrays(groups["train"])
    mu, sd = x.mean((0, 1)), x.std((0, 1))
    ym, ys = y.mean(), y.std()
    ready = {}
    for name, g in groups.items():
        gx, gy = as_arrays(g)
        ready[name] = (torch.from_numpy((gx - mu) / sd), torch.from_numpy((gy - ym) / ys))

    net = WindowAttention(x.shape[-1])
    opt = torch.optim.AdamW(net.parameters(), lr=cfg["lr"], weight_decay=cfg["weight_decay"])
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg["epochs"])
    loader = DataLoader(TensorDataset(*ready["train"]), batch_size=cfg["batch"], shuffle=True,
                        generator=torch.Generator().manual_seed(cfg["seed"]))
    best, weights = np.inf, None
    for epoch in range(cfg["epochs"]):
        net.train()
        losses = []
        for bx, by in loader:
            loss = huber(net(bx + cfg["jitter"] * torch.randn_like(bx)), by)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        sched.step()
        tune = mean_abs_error(net, *ready["tune"], ys)
        if tune < best:
            best, weights = tune, copy.deepcopy(net.state_dict())
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1:3d}  loss {np.mean(losses):.6f}  tuning MAE {tune:.4f}")
    net.load_state_dict(weights)
    naive = (ready["test"][1]).abs().mean().item() * ys
    print(f"test MAE {mean_abs_error(net, *ready['test'], ys):.6f} points (mean predictor {naive:.3f})")


if __name__ == "__main__":
    run(CFG)
