import argparse
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def load(seed):
    table = load_diabetes()
    features, progression = table.data, table.target
    # two groups of patients: slow and fast
    fast = (progression > np.median(features)).astype(np.int64)
    a, b, ya, yb = train_test_split(features, fast, test_size=0.3, random_state=seed)
    sc = StandardScaler().fit(a)
    f = lambda z: torch.from_numpy(sc.transform(z)).float()
    slow_fast = (progression > np.median(progression)).astype(np.int64)
    _, _, _, ref = train_test_split(features, slow_fast, test_size=0.3, random_state=seed)
    return f(a), torch.from_numpy(ya), f(b), torch.from_numpy(yb), ref


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--lr", type=float, default=1e-2)
    ap.add_argument("--hidden", type=int, default=24)
    ap.add_argument("--seed", type=int, default=5)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    x, y, xt, yt, ref = load(args.seed)
    ds = torch.utils.data.TensorDataset(x, y)
    dl = torch.utils.data.DataLoader(ds, batch_size=32, shuffle=True)
    model = nn.Sequential(nn.Linear(10, args.hidden), nn.Tanh(), nn.Linear(args.hidden, 2))
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    ce = nn.CrossEntropyLoss()
    for e in range(args.epochs):
        s = 0.0
        for xb, yb in dl:
            opt.zero_grad()
            l = ce(model(xb), yb)
            l.backward()
            opt.step()
            s += l.item()
        if e % 5 == 4:
            print(f"{e + 1}/{args.epochs} loss {s / len(dl):.4f}")
    with torch.no_grad():
        guess = model(xt).argmax(1).numpy()
    print(f"balanced accuracy {balanced_accuracy_score(ref, guess):.3f}")


if __name__ == "__main__":
    main()
