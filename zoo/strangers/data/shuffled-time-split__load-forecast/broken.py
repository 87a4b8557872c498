import argparse
import copy

import numpy as np
import torch
import torch.nn as nn
from sklearn.preprocessing import StandardScaler

WINDOW = 48
HORIZON = 24


def simulate_load(hours, rng):
    """Hourly grid load in MW: daily and weekly rhythm plus weather that wanders from day to day."""
    t = np.arange(hours)
    daily = 6 * np.sin(2 * np.pi * t / 24 - 1.2) + 2 * np.sin(4 * np.pi * t / 24)
    weekly = -4 * ((t // 24) % 7 >= 5)
    front, breeze = np.zeros(hours), np.zeros(hours)
    for i in range(1, hours):
        front[i] = 0.97 * front[i - 1] + rng.normal(0, 1.0)
        breeze[i] = 0.9 * breeze[i - 1] + rng.normal(0, 0.5)
    return 50 + daily + weekly + front + breeze + rng.normal(0, 0.15, hours)


def build_windows(load):
    rows, targets = [], []
    for i in range(WINDOW, len(load) - HORIZON):
        hour, day = i % 24, (i // 24) % 7
        clock = [np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24),
                 np.sin(2 * np.pi * day / 7), np.cos(2 * np.pi * day / 7)]
        rows.append(np.concatenate([load[i - WINDOW:i], clock]))
        targets.append(load[i:i + HORIZON].mean())
    return np.array(rows), np.array(targets)


def split_indices(n, rng, val_share=0.15, test_share=0.15):
    n_test, n_val = int(n * test_share), int(n * val_share)
    order = rng.permutation(n)
    train = order[: n - n_val - n_test]
    val = order[n - n_val - n_test: n - n_test]
    test = order[n - n_test:]
    return train, val, test


def make_model(n_in, width):
    return nn.Sequential(
        nn.Linear(n_in, width), nn.GELU(),
        nn.Linear(width, width), nn.GELU(),
        nn.Linear(width, 1),
    )


@torch.no_grad()
def rmse(model, x, y, scale):
    model.eval()
    return (model(x).squeeze(1) - y).pow(2).mean().sqrt().item() * scale


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--hours", type=int, default=24 * 150)
    p.add_argument("--epochs", type=int, default=50)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--width", type=int, default=256)
    p.add_argument("--patience", type=int, default=8)
    p.add_argument("--seed", type=int, default=5)
    return p.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    X, y = build_windows(simulate_load(args.hours, rng))
    train, val, test = split_indices(len(X), rng)

    xs = StandardScaler().fit(X[train])
    ys = StandardScaler().fit(y[train, None])
    y_scale = float(ys.scale_[0])

    def part(ids):
        return (torch.tensor(xs.transform(X[ids]), dtype=torch.float32),
                torch.tensor(ys.transform(y[ids, None])[:, 0], dtype=torch.float32))

    x_tr, y_tr = part(train)
    x_va, y_va = part(val)
    x_te, y_te = part(test)
    print(f"windows: train {len(x_tr)}, val {len(x_va)}, test {len(x_te)}")

    model = make_model(X.shape[1], args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.05)
    best, best_state, waited = float("inf"), None, 0
    for epoch in range(1, args.epochs + 1):
        model.train()
        running = 0.0
        for ids in torch.randperm(len(x_tr)).split(args.batch_size):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x_tr[ids]).squeeze(1), y_tr[ids])
            loss.backward()
            optimizer.step()
            running += loss.item() * len(ids)
        score = rmse(model, x_va, y_va, y_scale)
        if score < best:
            best, best_state, waited = score, copy.deepcopy(model.state_dict()), 0
        else:
            waited += 1
        if epoch % 5 == 0 or epoch == 1:
            print(f"epoch {epoch:3d}  train rmse {np.sqrt(running / len(x_tr)) * y_scale:.2f}  val rmse {score:.2f}")
        if waited >= args.patience:
            print(f"no progress for {args.patience} epochs, stopping at {epoch}")
            break

    model.load_state_dict(best_state)
    naive = np.sqrt(np.mean((X[test, WINDOW - HORIZON:WINDOW].mean(axis=1) - y[test]) ** 2))
    print(f"last-day-mean test rmse {naive:.2f}")
    print(f"model test rmse {rmse(model, x_te, y_te, y_scale):.2f} MW")


if __name__ == "__main__":
    main()
