"""One-hour-ahead load forecast, all sites in one model."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import features as ft

CFG = dict(seed=21, epochs=12, batch_size=128, lr=2e-3, hidden=64)


class LoadNet(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_in, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


def tensors(frame, cols, x_scaler, y_scaler):
    x = torch.from_numpy(x_scaler(frame[cols]))
    y = torch.from_numpy(y_scaler(frame[[ft.TARGET]])).squeeze(1)
    return x, y


def mae_kw(model, x, y, y_scaler):
    model.eval()
    with torch.no_grad():
        err = (model(x) - y).abs().mean().item()
    return err * float(y_scaler.std.iloc[0])


def main():
    torch.manual_seed(CFG["seed"])
    table, cols = ft.build_table(ft.simulate_raw(seed=CFG["seed"]))
    train_df, val_df, test_df = ft.time_split(table)
    x_scaler = ft.Scaler().fit(train_df[cols])
    y_scaler = ft.Scaler().fit(train_df[[ft.TARGET]])
    x_tr, y_tr = tensors(train_df, cols, x_scaler, y_scaler)
    x_va, y_va = tensors(val_df, cols, x_scaler, y_scaler)
    x_te, y_te = tensors(test_df, cols, x_scaler, y_scaler)
    print("rows:", len(x_tr), len(x_va), len(x_te), "inputs:", len(cols))

    loader = DataLoader(TensorDataset(x_tr, y_tr), batch_size=CFG["batch_size"], shuffle=True)
    model = LoadNet(len(cols), CFG["hidden"])
    opt = torch.optim.Adam(model.parameters(), lr=CFG["lr"])
    criterion = nn.HuberLoss()

    for epoch in range(CFG["epochs"]):
        model.train()
        losses = []
        for xb, yb in loader:
            opt.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1:2d}  train {np.mean(losses):.5f}  val MAE {mae_kw(model, x_va, y_va, y_scaler):.2f} kW")

    persistence = (test_df[ft.TARGET] - test_df["lag_1"]).abs().mean()
    print(f"test MAE {mae_kw(model, x_te, y_te, y_scaler):.2f} kW   (last-hour persistence {persistence:.2f} kW)")


if __name__ == "__main__":
    main()
