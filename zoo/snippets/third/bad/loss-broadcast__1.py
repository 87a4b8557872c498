import torch
import torch.nn as nn
import pandas as pd

df = pd.read_csv("housing.csv")
X = torch.tensor(df.drop(columns="price").values, dtype=torch.float32)
y = torch.tensor(df["price"].values, dtype=torch.float32)

regressor = nn.Sequential(
    nn.Linear(X.shape[1], 64),
    nn.ReLU(),
    nn.Linear(64, 1),
)
loss_fn = torch.nn.HuberLoss()
adam = torch.optim.Adam(regressor.parameters(), lr=1e-3)

for it in range(2000):
    idx = torch.randint(0, len(X), (256,))
    out = regressor(X[idx])
    l = loss_fn(out, y[idx])
    adam.zero_grad()
    l.backward()
    adam.step()
