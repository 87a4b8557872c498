"""Stratified 5-fold cross-validation on the wine data (178 rows); every fold trains a bag of three small nets."""
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_wine
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from torch import nn


def new_net(n_in, n_out, seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(n_in, 16), nn.GELU(), nn.Dropout(0.3), nn.Linear(16, n_out))


def fit_one(x, y, seed, epochs=60, batch=16):
    net = new_net(x.shape[1], 3, seed)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=5e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    gen = torch.Generator().manual_seed(seed)
    history = []
    for _ in range(epochs):
        net.train()
        total = 0.0
        for idx in torch.randperm(len(x), generator=gen).split(batch):
            xb = x[idx] + 0.05 * torch.randn(len(idx), x.shape[1])
            loss = F.cross_entropy(net(xb), y[idx], label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()
        history.append(total / len(x))
    return net.eval(), history


@torch.no_grad()
def predict(nets, x):
    return torch.stack([F.softmax(net(x).double(), dim=1) for net in nets]).mean(0).numpy()


def main():
    X, y = load_wine(return_X_y=True)
    out_of_fold = np.zeros((len(y), 3))
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=12)
    for k, (tr, te) in enumerate(folds.split(X, y)):
        scaler = StandardScaler().fit(X[tr])
        x_tr = torch.tensor(scaler.transform(X[tr]), dtype=torch.float32)
        x_te = torch.tensor(scaler.transform(X[te]), dtype=torch.float32)
        y_tr = torch.tensor(y[tr])
        nets, curves = zip(*[fit_one(x_tr, y_tr, seed=100 * k + s) for s in range(3)])
        out_of_fold[te] = predict(nets, x_te)
        first, last = np.mean([c[0] for c in curves]), np.mean([c[-1] for c in curves])
        print(f"fold {k}: train loss {first:.3f} -> {last:.3f}, held-out accuracy "
              f"{accuracy_score(y[te], out_of_fold[te].argmax(1)):.3f} ({len(te)} rows)")

    majority = np.bincount(y).max() / len(y)
    print(f"out-of-fold accuracy {accuracy_score(y, out_of_fold.argmax(1)):.3f} (majority class {majority:.3f})")
    print(f"out-of-fold log loss {log_loss(y, out_of_fold):.3f}")


if __name__ == "__main__":
    main()
