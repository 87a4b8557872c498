from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import torch
import yaml

import parts as P
from factory import make
from registry import TASK_KINDS, TRUNKS


@dataclass
class TrainCfg:
    epochs: int
    batch_size: int
    lr: float
    weight_decay: float


def build(cfg):
    trunk_cfg = dict(cfg["trunk"])
    trunk = TRUNKS[trunk_cfg.pop("name")](cfg["data"]["n_features"], **trunk_cfg)
    heads = {}
    for h in map(dict, cfg["heads"]):
        task, kind = h.pop("task"), h.pop("kind")
        heads[task] = TASK_KINDS[kind](trunk.n_out, **h)
    return P.MultiTask(trunk, heads)


def param_groups(model, cfg):
    """Matrices decay; biases and norms do not; the log-variances travel far and get a longer stride."""
    sort = lambda n, p: "var" if n.startswith("log_var") else "matrix" if p.ndim > 1 else "vector"
    groups = {"matrix": dict(lr=cfg.lr, weight_decay=cfg.weight_decay), "vector": dict(lr=cfg.lr, weight_decay=0.0),
              "var": dict(lr=5 * cfg.lr, weight_decay=0.0)}
    return [dict(params=[p for n, p in model.named_parameters() if sort(n, p) == g], **kw) for g, kw in groups.items()]


def train_epoch(model, opt, sched, data, cfg):
    x, ys = data
    model.train()
    num, den = defaultdict(float), defaultdict(int)
    for idx in torch.randperm(len(x)).split(cfg.batch_size):
        outs, losses = model(x[idx]), {}
        for t, out in outs.items():
            loss, n = model.heads[t].masked(out, ys[t][idx])
            if loss is not None:
                losses[t] = loss
                num[t] += loss.item() * n
                den[t] += n
        opt.zero_grad()
        model.total(losses).backward()
        opt.step()
        sched.step()
    return {t: num[t] / den[t] for t in num}


@torch.no_grad()
def assess(model, data):
    x, ys = data
    model.eval()
    res = {}
    for t, out in model(x).items():
        head, known = model.heads[t], model.heads[t].known(ys[t])
        res[t] = (head.loss(out[known], ys[t][known]).item(), head.metric(out[known], ys[t][known]))
    return res


def main():
    cfg = yaml.safe_load((Path(__file__).parent / "config.yaml").read_text())
    torch.manual_seed(cfg["seed"])
    data = make(**cfg["data"], seed=cfg["seed"])
    tc = TrainCfg(**cfg["train"])
    model = build(cfg)
    opt = torch.optim.AdamW(param_groups(model, tc))
    steps = tc.epochs * -(-len(data["train"][0]) // tc.batch_size)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, [g["lr"] for g in opt.param_groups], total_steps=steps, pct_start=0.1)
    for epoch in range(1, tc.epochs + 1):
        tr = train_epoch(model, opt, sched, data["train"], tc)
        if epoch % 2 == 0 or epoch == 1:
            va = assess(model, data["val"])
            print(f"epoch {epoch:2d} | " + " | ".join(f"{t} train {tr[t]:.3f} val {va[t][0]:.3f} {model.heads[t].metric_name} {va[t][1]:.3f}" for t in tr))
    print("learned task variances:", {t: round(v.exp().item(), 3) for t, v in model.log_var.items()})
    for t, (loss, m) in assess(model, data["test"]).items():
        print(f"test {t:7s} loss {loss:.4f}  {model.heads[t].metric_name} {m:.4f}")


if __name__ == "__main__":
    main()
