"""Claim severity from policy attributes. Most of the variance is luck; under a fifth of it can be explained."""
import copy

import numpy as np
import pandas as pd
import torch
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from torch import nn

SEED = 2
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

n = 6000
frame = pd.DataFrame({
    "age": rng.integers(18, 80, n),
    "vehicle_value": np.exp(rng.normal(9.5, 0.5, n)),
    "km_per_year": rng.gamma(4.0, 3500.0, n),
    "region": rng.choice(["north", "south", "east", "west"], n, p=[0.4, 0.3, 0.2, 0.1]),
    "fuel": rng.choice(["petrol", "diesel", "electric"], n),
})
risk = (
    0.010 * np.abs(frame["age"] - 45)
    + 0.35 * np.log(frame["vehicle_value"] / 13000)
    + 0.25 * np.tanh((frame["km_per_year"] - 14000) / 8000)
    + frame["region"].map({"north": 0.0, "south": 0.12, "east": -0.1, "west": 0.25})
    + 0.2 * ((frame["fuel"] == "electric") & (frame["age"] < 35))
)
frame["log_cost"] = 7.0 + risk + rng.normal(scale=0.58, size=n)

features, target = frame.drop(columns="log_cost"), frame["log_cost"].to_numpy()
x_fit, x_test, y_fit, y_test, _, clean_test = train_test_split(
    features, target, 7.0 + risk.to_numpy(), test_size=0.25, random_state=SEED)
x_train, x_val, y_train, y_val = train_test_split(x_fit, y_fit, test_size=0.2, random_state=SEED)

numeric, categorical = ["age", "vehicle_value", "km_per_year"], ["region", "fuel"]
prep = ColumnTransformer([
    ("num", StandardScaler(), numeric),
    ("cat", OneHotEncoder(handle_unknown="ignore", sparse_output=False), categorical),
])
x_train = torch.tensor(prep.fit_transform(x_train), dtype=torch.float32)
x_val = torch.tensor(prep.transform(x_val), dtype=torch.float32)
x_test = torch.tensor(prep.transform(x_test), dtype=torch.float32)
y_mean, y_std = y_train.mean(), y_train.std()
t_train = torch.tensor((y_train - y_mean) / y_std, dtype=torch.float32).unsqueeze(1)
t_val = torch.tensor((y_val - y_mean) / y_std, dtype=torch.float32).unsqueeze(1)

model = nn.Sequential(
    nn.Linear(x_train.shape[1], 48), nn.SiLU(), nn.Dropout(0.1),
    nn.Linear(48, 24), nn.SiLU(),
    nn.Linear(24, 1),
)
criterion = nn.MSELoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.3, patience=3)

best, best_state, since = float("inf"), None, 0
for epoch in range(80):
    model.train()
    train_sum = 0.0
    for idx in torch.randperm(len(x_train)).split(128):
        optimizer.zero_grad()
        loss = criterion(model(x_train[idx]), t_train[idx])
        loss.backward()
        optimizer.step()
        train_sum += loss.item() * len(idx)
    model.eval()
    with torch.no_grad():
        val = criterion(model(x_val), t_val).item()
    plateau.step(val)
    if epoch % 4 == 0:
        print(f"epoch {epoch:2d} train mse {train_sum / len(x_train):.4f} val mse {val:.4f}")
    if val < best - 1e-4:
        best, best_state, since = val, copy.deepcopy(model.state_dict()), 0
    else:
        since += 1
        if since >= 10:
            print(f"stopping after epoch {epoch}, best val mse {best:.4f}")
            break

model.load_state_dict(best_state)
model.eval()
with torch.no_grad():
    pred = model(x_test).squeeze(1).numpy() * y_std + y_mean
ridge = Ridge().fit(x_train.numpy(), y_train)
print(f"test R2: network {r2_score(y_test, pred):.3f}, ridge {r2_score(y_test, ridge.predict(x_test.numpy())):.3f}, "
      f"noise-free expectation {r2_score(y_test, clean_test):.3f}")
print(f"test MAE of log cost: {mean_absolute_error(y_test, pred):.3f}")
