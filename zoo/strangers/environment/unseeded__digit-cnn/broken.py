"""Small-CNN ablation on the 8x8 digits: channel width vs. accuracy."""
import json
import random
import time

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

hparams = {
    "seed": 2024,
    "widths": [12, 16, 20],
    "epochs": 12,
    "batch_size": 64,
    "lr": 1e-2,
    "weight_decay": 1e-4,
}


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)


def get_data(seed):
    X, y = load_digits(return_X_y=True)
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, stratify=y, random_state=seed)
    X_tr, X_va, y_tr, y_va = train_test_split(X_tr, y_tr, test_size=0.2, stratify=y_tr, random_state=seed)
    mu, sd = X_tr.mean(), X_tr.std()

    def ds(a, b):
        a = torch.tensor((a - mu) / sd, dtype=torch.float32).view(-1, 1, 8, 8)
        return TensorDataset(a, torch.tensor(b))

    return ds(X_tr, y_tr), ds(X_va, y_va), ds(X_te, y_te)


def conv_block(c_in, c_out):
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, padding=1), nn.BatchNorm2d(c_out), nn.ReLU())


def make_net(width):
    return nn.Sequential(
        conv_block(1, width),
        nn.MaxPool2d(2),
        conv_block(width, 2 * width),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(2 * width * 4, 10),
    )


def fit(net, train_dl, val_dl, hp):
    crit = nn.CrossEntropyLoss()
    opt = torch.optim.AdamW(net.parameters(), lr=hp["lr"], weight_decay=hp["weight_decay"])
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=hp["epochs"])
    for epoch in range(1, hp["epochs"] + 1):
        net.train()
        loss_sum = n = 0
        for xb, yb in train_dl:
            opt.zero_grad()
            loss = crit(net(xb), yb)
            loss.backward()
            opt.step()
            loss_sum += loss.item() * len(xb)
            n += len(xb)
        sched.step()
        if epoch % 4 == 0:
            v_loss, v_acc = score(net, val_dl)
            print(f"   epoch {epoch:2d}  train loss {loss_sum / n:.5f}  val loss {v_loss:.5f}  val acc {v_acc:.4f}")
    return net


@torch.no_grad()
def score(net, dl):
    net.eval()
    loss = hit = n = 0
    for xb, yb in dl:
        out = net(xb)
        loss += nn.functional.cross_entropy(out, yb, reduction="sum").item()
        hit += (out.argmax(1) == yb).sum().item()
        n += len(xb)
    return loss / n, hit / n


def run(hp):
    set_seed(hp["seed"])
    torch.set_num_threads(1)
    train, val, test = get_data(hp["seed"])
    train_dl = DataLoader(train, batch_size=hp["batch_size"], shuffle=True)
    val_dl = DataLoader(val, batch_size=256)
    test_dl = DataLoader(test, batch_size=256)

    table, nets = {}, {}
    for width in hp["widths"]:
        print(f"width {width}")
        t0 = time.time()
        nets[width] = fit(make_net(width), train_dl, val_dl, hp)
        v_loss, v_acc = score(nets[width], val_dl)
        table[width] = {"val_loss": round(v_loss, 5), "val_acc": round(v_acc, 4)}
        print(f"   done in {time.time() - t0:.1f}s")

    print(json.dumps(table, indent=1))
    best = min(table, key=lambda w: table[w]["val_loss"])
    t_loss, t_acc = score(nets[best], test_dl)
    print(f"best width {best}: test loss {t_loss:.5f}  test acc {t_acc:.4f}")


if __name__ == "__main__":
    run(hparams)
