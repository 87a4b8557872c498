import numpy as np
import torch
from torch.nn import functional as F

from buildings import FEATURES, audit
from net import Regressor, Scaler

SEED = 77
EPOCHS = 30
BATCH = 64


def evaluate(model, x, demand, y_scaler):
    model.eval()
    with torch.no_grad():
        guess = y_scaler.backward(model(x))
    residual = guess - demand
    return float(np.sqrt(np.mean(residual ** 2))), float(1 - np.mean(residual ** 2) / demand.var())


def main():
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    X_train, d_train = audit(2500, rng)
    X_val, d_val = audit(400, rng)
    X_test, d_test = audit(800, rng)

    x_scaler, y_scaler = Scaler(X_train), Scaler(d_train)
    x, y = x_scaler.forward(X_train), y_scaler.forward(d_train)
    x_val, x_test = x_scaler.forward(X_val), x_scaler.forward(X_test)

    # let the output layer begin at the average answer
    model = Regressor(len(FEATURES), start=d_train.mean().item())
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)

    for epoch in range(EPOCHS):
        model.train()
        losses, sizes = [], []
        for rows in torch.randperm(len(x)).split(BATCH):
            loss = F.mse_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            sizes.append(len(rows))
            if epoch == 0 and len(losses) == 1:
                print(f"first batch loss {losses[0]:.4f}")
        schedule.step()
        if epoch % 3 == 2:
            rmse, _ = evaluate(model, x_val, d_val, y_scaler)
            print(f"epoch {epoch + 1:2d}  loss {np.average(losses, weights=sizes):.5f}  validation RMSE {rmse:.2f} kWh/m2")

    rmse, r2 = evaluate(model, x_test, d_test, y_scaler)
    print(f"test RMSE {rmse:.2f} kWh/m2, R2 {r2:.4f}")


if __name__ == "__main__":
    main()
