#!/usr/bin/env python
"""Beat classification on simulated single-lead ECG (chapter 4 baseline).

Three classes: normal sinus beat, premature ventricular beat, premature atrial beat.
Patients are disjoint between train / val / test.
"""
import argparse
import copy
import math
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

CLASSES = ("N", "V", "A")


def gauss(t, mu, sd, amp):
    return amp * np.exp(-0.5 * ((t - mu) / sd) ** 2)


def simulate_patient(rng, n_beats, length):
    t = np.linspace(0.0, 1.0, length)
    p_amp, r_amp, t_amp = rng.uniform(0.08, 0.2), rng.uniform(0.8, 1.4), rng.uniform(0.2, 0.4)
    qrs_sd = rng.uniform(0.012, 0.02)
    wander = rng.uniform(0.0, 0.15)
    beats, labels = [], rng.choice(3, size=n_beats, p=[0.5, 0.25, 0.25])
    for y in labels:
        shift = rng.normal(0.0, 0.015)
        width = qrs_sd * (rng.uniform(1.6, 3.2) if y == 1 else rng.uniform(0.9, 1.4))
        p = 0.0 if y == 1 else p_amp
        p_pos = 0.30 + (-rng.uniform(0.03, 0.10) if y == 2 else rng.normal(0, 0.015))
        x = gauss(t, p_pos + shift, 0.03, p)
        x += gauss(t, 0.45 + shift, width, r_amp * rng.uniform(0.85, 1.15))
        x -= gauss(t, 0.49 + shift, width * 1.2, 0.25 * r_amp)
        x += gauss(t, 0.72 + shift, 0.05, t_amp * (-0.6 if y == 1 and rng.random() < 0.6 else 1.0))
        x += wander * np.sin(2 * np.pi * (rng.uniform(0.3, 1.0) * t + rng.random()))
        x += rng.normal(0, 0.06, size=length)
        beats.append(x)
    return np.stack(beats).astype(np.float32), labels.astype(np.int64)


def build_splits(args):
    rng = np.random.default_rng(args.seed)
    patients = [simulate_patient(rng, args.beats, args.length) for _ in range(args.patients)]
    order = rng.permutation(args.patients)
    n_test = n_val = args.patients // 6
    groups = {
        "test": order[:n_test],
        "val": order[n_test:n_test + n_val],
        "train": order[n_test + n_val:],
    }
    out = {}
    for name, idx in groups.items():
        x = np.concatenate([patients[i][0] for i in idx])
        y = np.concatenate([patients[i][1] for i in idx])
        out[name] = (torch.from_numpy(x), torch.from_numpy(y))
    mu, sd = out["train"][0].mean(), out["train"][0].std()
    return {k: TensorDataset(((x - mu) / sd).unsqueeze(1), y) for k, (x, y) in out.items()}


class BeatNet(nn.Module):
    def __init__(self, width=16, n_classes=3, p_drop=0.2):
        super().__init__()
        def block(i, o, k):
            return nn.Sequential(nn.Conv1d(i, o, k, padding=k // 2, bias=False),
                                 nn.BatchNorm1d(o), nn.ReLU(inplace=True), nn.MaxPool1d(2))
        self.features = nn.Sequential(block(1, width, 9), block(width, 2 * width, 7),
                                      block(2 * width, 2 * width, 5))
        self.drop = nn.Dropout(p_drop)
        self.fc = nn.Linear(2 * width * 16, n_classes)

    def forward(self, x):
        return self.fc(self.drop(self.features(x).flatten(1)))


def param_groups(model, weight_decay):
    decay = [p for p in model.parameters() if p.ndim > 1]
    no_decay = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": decay, "weight_decay": weight_decay}, {"params": no_decay, "weight_decay": 0.0}]


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss, hits, n = 0.0, 0, 0
    for x, y in loader:
        logits = model(x)
        loss += F.cross_entropy(logits, y, reduction="sum").item()
        hits += (logits.argmax(1) == y).sum().item()
        n += y.numel()
    return loss / n, hits / n


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--patients", type=int, default=60)
    ap.add_argument("--beats", type=int, default=60)
    ap.add_argument("--length", type=int, default=128)
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--wd", type=float, default=1e-2)
    ap.add_argument("--smoothing", type=float, default=0.05)
    ap.add_argument("--clip", type=float, default=1.0)
    ap.add_argument("--seed", type=int, default=7)
    args = ap.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    ds = build_splits(args)
    train_dl = DataLoader(ds["train"], batch_size=args.batch_size, shuffle=True, drop_last=True)
    val_dl = DataLoader(ds["val"], batch_size=256, shuffle=False)
    test_dl = DataLoader(ds["test"], batch_size=256, shuffle=False)

    model = BeatNet()
    opt = torch.optim.AdamW(param_groups(model, args.wd), lr=args.lr)
    total = args.epochs * len(train_dl)
    warm = total // 10

    def schedule(step):
        if step < warm:
            return (step + 1) / warm
        return 0.5 * (1 + math.cos(math.pi * (step - warm) / (total - warm)))

    sched = torch.optim.lr_scheduler.LambdaLR(opt, schedule)
    criterion = nn.CrossEntropyLoss(label_smoothing=args.smoothing)

    best_loss, best_state = float("inf"), None
    for epoch in range(1, args.epochs + 1):
        model.train()
        running = 0.0
        for x, y in train_dl:
            opt.zero_grad(set_to_none=True)
            loss = criterion(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            opt.step()
            sched.step()
            running += loss.item()
        val_loss, val_acc = evaluate(model, val_dl)
        if val_loss < best_loss:
            best_loss, best_state = val_loss, copy.deepcopy(model.state_dict())
        print(f"epoch {epoch:02d}  train {running / len(train_dl):.4f} (smoothed)  "
              f"val {val_loss:.4f}  acc {val_acc:.4f}")

    model.load_state_dict(best_state)
    test_loss, test_acc = evaluate(model, test_dl)
    majority = torch.bincount(ds["train"].tensors[1]).argmax()
    naive = (ds["test"].tensors[1] == majority).float().mean().item()
    print(f"test loss {test_loss:.4f}  acc {test_acc:.4f}  (majority class {CLASSES[majority]}: {naive:.4f})")


if __name__ == "__main__":
    main()
