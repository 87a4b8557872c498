"""bf16 autocast, gradient accumulation (with the odd remainder applied), EMA weights for evaluation, two param groups."""
import argparse
import copy
import math

import torch
import torch.nn.functional as F
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


class Residual(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.up = nn.Linear(d, 2 * d)
        self.down = nn.Linear(2 * d, d)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class TabularNet(nn.Module):
    def __init__(self, n_in, d, depth, classes):
        super().__init__()
        self.stem = nn.Linear(n_in, d)
        self.blocks = nn.ModuleList(Residual(d) for _ in range(depth))
        self.norm = nn.LayerNorm(d)
        self.drop = nn.Dropout(0.15)
        self.head = nn.Linear(d, classes)

    def forward(self, x):
        x = self.stem(x)
        for b in self.blocks:
            x = b(x)
        return self.head(self.drop(self.norm(x)))


def data(seed):
    X, y = make_classification(n_samples=10000, n_features=24, n_informative=12, n_redundant=4, n_classes=4,
                               n_clusters_per_class=2, class_sep=1.6, flip_y=0.01, random_state=seed)
    X, X_te, y, y_te = train_test_split(X, y, test_size=1000, stratify=y, random_state=seed)
    X, X_va, y, y_va = train_test_split(X, y, test_size=1000, stratify=y, random_state=seed)
    mu, sd = X.mean(0), X.std(0)
    return [(torch.tensor((a - mu) / sd, dtype=torch.float32), torch.tensor(b)) for a, b in ((X, y), (X_va, y_va), (X_te, y_te))]


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x)
    out = out.float()
    return F.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--micro", type=int, default=96)
    ap.add_argument("--accum", type=int, default=2)
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=77)
    a = ap.parse_args()
    torch.manual_seed(a.seed)
    (x, y), val, test = data(a.seed)

    model = TabularNet(x.shape[1], 32, 2, 4)
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.98))
    decay = [p for p in model.parameters() if p.ndim >= 2]
    rest = [p for p in model.parameters() if p.ndim < 2]
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0.0}], lr=a.lr)
    per_epoch = math.ceil(math.ceil(len(x) / a.micro) / a.accum)
    total, warm = per_epoch * a.epochs, per_epoch // 2
    sched = torch.optim.lr_scheduler.LambdaLR(
        opt, lambda s: min(1.0, (s + 1) / warm) * 0.5 * (1 + math.cos(math.pi * min(1.0, s / total))))

    best = {"loss": float("inf"), "state": None}
    for epoch in range(a.epochs):
        model.train()
        seen = 0.0
        micro = torch.randperm(len(x)).split(a.micro)
        for lo in range(0, len(micro), a.accum):
            group = micro[lo:lo + a.accum]
            size = sum(len(g) for g in group)
            opt.zero_grad(set_to_none=True)
            for idx in group:
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    out = model(x[idx])
                loss = F.cross_entropy(out.float(), y[idx], reduction="sum") / size
                loss.backward()
                seen += loss.item() * size
            opt.step()
            sched.step()
            ema.update_parameters(model)
        vl, va = evaluate(ema, *val)
        if vl < best["loss"]:
            best = {"loss": vl, "state": copy.deepcopy(ema.state_dict())}
        print(f"epoch {epoch:2d}  lr {sched.get_last_lr()[0]:.2e}  train {seen / len(x):.4f}  ema val {vl:.4f}  acc {va:.3f}")

    ema.load_state_dict(best["state"])
    tl, ta = evaluate(ema, *test)
    print(f"test loss {tl:.4f}  accuracy {ta:.4f}")


if __name__ == "__main__":
    main()
