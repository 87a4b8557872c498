"""Image exercise: the digits with mixup and gradient accumulation.

Small physical batches, a larger effective batch.
"""
import argparse
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=14)
parser.add_argument("--micro", type=int, default=16, help="physical batch size")
parser.add_argument("--accumulate", type=int, default=4)
parser.add_argument("--alpha", type=float, default=0.2, help="mixup strength")
parser.add_argument("--lr", type=float, default=4e-3)
parser.add_argument("--seed", type=int, default=2024)


def prepare(seed):
    bunch = load_digits()
    x = bunch.images[:, None].astype(np.float32)
    y = bunch.target
    x, x_test, y, y_test = train_test_split(x, y, test_size=300, stratify=y, random_state=seed)
    x, x_val, y, y_val = train_test_split(x, y, test_size=300, stratify=y, random_state=seed)
    mu, sigma = x.mean(), x.std()
    as_tensors = lambda a, b: (torch.from_numpy((a - mu) / sigma), torch.from_numpy(b))
    return as_tensors(x, y), as_tensors(x_val, y_val), as_tensors(x_test, y_test)


def block(c_in, c_out):
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, padding=1, bias=False), nn.GroupNorm(4, c_out), nn.SiLU())


def make_model():
    return nn.Sequential(
        block(1, 16), block(16, 32), nn.MaxPool2d(2), block(32, 32),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(128, 10),
    )


def mixup(x, y, alpha, rng):
    lam = float(rng.beta(alpha, alpha))
    perm = torch.from_numpy(rng.permutation(len(x)))
    soft = F.one_hot(y, 10).float()
    return lam * x + (1 - lam) * x[perm], lam * soft + (1 - lam) * soft[perm]


def chunks(order, micro, group):
    """Yield lists of index tensors; each list becomes one optimizer step."""
    pieces = order.split(micro)
    for i in range(0, len(pieces), group):
        yield pieces[i:i + group]


@torch.inference_mode()
def evaluate(model, x, y):
    model.eval()
    logits = model(x)
    return F.cross_entropy(logits, y).item(), (logits.argmax(1) == y).float().mean().item()


def main():
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    (x, y), val, test = prepare(args.seed)
    model = make_model()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    opt.zero_grad()
    best = (float("inf"), None)
    for epoch in range(args.epochs):
        model.train()
        epoch_loss = 0.0
        for group in chunks(torch.randperm(len(x)), args.micro, args.accumulate):
            n_group = sum(len(rows) for rows in group)
            for rows in group:
                xb, soft = mixup(x[rows], y[rows], args.alpha, rng)
                loss = F.cross_entropy(model(xb), soft, reduction="sum") / n_group
                loss.backward()
                epoch_loss += loss.item() * n_group
            opt.step()
            opt.zero_grad()
        val_loss, val_acc = evaluate(model, *val)
        if val_loss < best[0]:
            best = (val_loss, copy.deepcopy(model.state_dict()))
        print(f"{epoch:2d}  mixup loss {epoch_loss / len(x):.3f}  val loss {val_loss:.3f}  val acc {val_acc:.3f}")
    model.load_state_dict(best[1])
    print("test loss %.3f, accuracy %.3f" % evaluate(model, *test))


if __name__ == "__main__":
    main()
