import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

CFG = dict(folds=4, epochs=15, batch=32, lr=2e-3, wd=1e-3, hidden=64, dropout=0.2, seed=42)


def seed_all(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)


def build(cfg):
    return nn.Sequential(
        nn.Linear(64, cfg["hidden"]),
        nn.ReLU(),
        nn.Dropout(cfg["dropout"]),
        nn.Linear(cfg["hidden"], cfg["hidden"]),
        nn.ReLU(),
        nn.Linear(cfg["hidden"], 10),
    )


def prepare(x_tr, x_te):
    sc = StandardScaler().fit(x_tr)
    to = lambda a: torch.from_numpy(sc.transform(a).astype(np.float32))
    return to(x_tr), to(x_te)


def one_epoch(model, opt, x, y, cfg):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(x)).split(cfg["batch"]):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    return total / len(x)


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def cross_validate(cfg):
    seed_all(cfg["seed"])
    x_all, y_all = load_digits(return_X_y=True)
    skf = StratifiedKFold(n_splits=cfg["folds"], shuffle=True, random_state=cfg["seed"])
    scores = []
    for fold, (tr, te) in enumerate(skf.split(x_all, y_all)):
        x_tr, x_te = prepare(x_all[tr], x_all[te])
        y_tr, y_te = torch.from_numpy(y_all[tr]), torch.from_numpy(y_all[te])
        for epoch in range(cfg["epochs"]):
            model = build(cfg)
            opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"], weight_decay=cfg["wd"])
            sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg["epochs"])
            loss = one_epoch(model, opt, x_tr, y_tr, cfg)
            sched.step()
            if epoch % 3 == 0 or epoch == cfg["epochs"] - 1:
                print(f"fold {fold} epoch {epoch:2d} loss {loss:.4f}")
        scores.append(accuracy(model, x_te, y_te))
        print(f"fold {fold} held-out accuracy {scores[-1]:.4f}")
    return scores


if __name__ == "__main__":
    s = np.array(cross_validate(CFG))
    print(f"accuracy over {len(s)} folds: {s.mean():.4f} +- {s.std(ddof=1):.4f}")
