import argparse

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from features import NUMERIC, build_table
from net import DemandNet


def to_tensors(df, mean, std, y_mean, y_std):
    numeric = ((df[NUMERIC] - mean) / std).to_numpy(dtype="float32").copy()
    y = ((df["y"] - y_mean) / y_std).to_numpy(dtype="float32").copy()
    return TensorDataset(
        torch.from_numpy(numeric),
        torch.tensor(df["store"].to_numpy(dtype="int64").copy()),
        torch.tensor(df["dow"].to_numpy(dtype="int64").copy()),
        torch.from_numpy(y),
    )


@torch.no_grad()
def predict(model, loader):
    model.eval()
    preds, ys = [], []
    for numeric, store, dow, y in loader:
        preds.append(model(numeric, store, dow))
        ys.append(y)
    return torch.cat(preds).numpy(), torch.cat(ys).numpy()


def r2(pred, y):
    return 1 - ((pred - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def main(args):
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    table = build_table(seed=args.seed)
    first_test_day = table["date"].max() - pd.Timedelta(days=56)
    first_val_day = first_test_day - pd.Timedelta(days=28)
    train_df = table[table["date"] < first_val_day]
    val_df = table[(table["date"] >= first_val_day) & (table["date"] < first_test_day)]
    test_df = table[table["date"] >= first_test_day]
    print(f"rows: train {len(train_df)}  val {len(val_df)}  test {len(test_df)}")

    stats = (train_df[NUMERIC].mean(), train_df[NUMERIC].std(), train_df["y"].mean(), train_df["y"].std())
    train_dl = DataLoader(to_tensors(train_df, *stats), batch_size=args.batch_size, shuffle=True)
    val_dl = DataLoader(to_tensors(val_df, *stats), batch_size=2048)
    test_dl = DataLoader(to_tensors(test_df, *stats), batch_size=2048)

    model = DemandNet(table["store"].nunique(), len(NUMERIC))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=args.lr, total_steps=args.epochs * len(train_dl))
    criterion = nn.HuberLoss()

    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for numeric, store, dow, y in train_dl:
            opt.zero_grad()
            loss = criterion(model(numeric, store, dow), y)
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(y)
        print(f"epoch {epoch + 1:2d}  train {total / len(train_df):.4f}  val R2 {r2(*predict(model, val_dl)):.4f}")

    pred, y = predict(model, test_dl)
    mape = np.abs(np.expm1(pred * stats[3] + stats[2]) - test_df["units"].to_numpy()) / test_df["units"].clip(lower=1).to_numpy()
    print(f"test R2 {r2(pred, y):.4f}  MAPE {mape.mean():.3f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--seed", type=int, default=0)
    main(p.parse_args())
