"""Two-headed network with learned homoscedastic task weights (Kendall et al.)."""
import time
from types import SimpleNamespace

import numpy as np
import torch
from sklearn.metrics import f1_score, r2_score
from torch import nn

opts = SimpleNamespace(seed=12, n=6000, width=96, epochs=30, bs=100, lr=2e-3, lr_s=3e-2)


def synthesise(n, seed):
    r = np.random.RandomState(seed)
    x = r.uniform(-1, 1, (n, 8))
    shared = np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2]
    price = 1000 * (shared + 0.5 * x[:, 3]) + 50 * r.randn(n)
    offset = 0.02 * (shared - x[:, 4] ** 2) + 0.002 * r.randn(n)
    grade = np.digitize(shared + 0.7 * x[:, 5] + 0.1 * r.randn(n), [-0.6, 0.6])
    return x, np.stack([price, offset], 1), grade


class Net(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, w), nn.SiLU(), nn.Linear(w, w), nn.SiLU())
        self.regress = nn.Linear(w, 2)
        self.classify = nn.Linear(w, 3)
        self.log_var = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        h = self.body(x)
        return self.regress(h), self.classify(h)


def combined(model, out, yr, yc):
    pr, pc = out
    per_task = torch.cat([(pr - yr).pow(2).mean(0), nn.functional.cross_entropy(pc, yc)[None]])
    scale = torch.tensor([0.5, 0.5, 1.0])
    return (scale * torch.exp(-model.log_var) * per_task + 0.5 * model.log_var).sum(), per_task.detach()


def main(o):
    torch.manual_seed(o.seed)
    X, R, C = synthesise(o.n, o.seed)
    a, b = int(0.7 * o.n), int(0.85 * o.n)
    ym, ys = R[:a].mean(0), R[:a].std(0)
    X = torch.tensor(X, dtype=torch.float32)
    Y = torch.tensor((R - ym) / ys, dtype=torch.float32)
    C = torch.tensor(C)
    model = Net(o.width)
    net_params = [p for n, p in model.named_parameters() if n != "log_var"]
    opt_net = torch.optim.AdamW(net_params, lr=o.lr, weight_decay=1e-3)
    opt_s = torch.optim.SGD([model.log_var], lr=o.lr_s)
    sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt_net, o.epochs)

    def report(lo, hi):
        model.eval()
        with torch.no_grad():
            pr, pc = model(X[lo:hi])
            obj, _ = combined(model, (pr, pc), Y[lo:hi], C[lo:hi])
        model.train()
        real = pr.numpy() * ys + ym
        return obj.item(), r2_score(R[lo:hi], real, multioutput="raw_values"), f1_score(C[lo:hi], pc.argmax(1), average="macro")

    start = time.perf_counter()
    for e in range(o.epochs):
        agg, parts = 0.0, torch.zeros(3)
        for idx in torch.randperm(a).split(o.bs):
            loss, each = combined(model, model(X[idx]), Y[idx], C[idx])
            model.zero_grad()
            loss.backward()
            opt_net.step()
            opt_s.step()
            agg += loss.item() * len(idx) / a
            parts += each * len(idx) / a
        sch.step()
        if e % 5 == 4:
            v, r2, f1 = report(a, b)
            sig = model.log_var.detach().exp().sqrt().tolist()
            print(f"#{e + 1:02d} objective {agg:+.3f}/{v:+.3f} (train/valid)  mse {parts[0]:.4f} {parts[1]:.4f} ce {parts[2]:.4f}  "
                  f"sigma {sig[0]:.2f} {sig[1]:.2f} {sig[2]:.2f}  R2 {r2[0]:.3f} {r2[1]:.3f} F1 {f1:.3f}")
    v, r2, f1 = report(b, o.n)
    print(f"TEST objective {v:+.3f}  R2(price) {r2[0]:.4f}  R2(offset) {r2[1]:.4f}  macro-F1 {f1:.4f}  [{time.perf_counter() - start:.1f}s]")


if __name__ == "__main__":
    main(opts)
