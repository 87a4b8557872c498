import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
series = pd.read_csv("pm25.csv", parse_dates=["date"], index_col="date")["pm25"].interpolate()
train_s, test_s = train_test_split(series, test_size=0.2, shuffle=False)

scaler = MinMaxScaler()
train_v = scaler.fit_transform(train_s.to_frame())
test_v = scaler.transform(test_s.to_frame())


def windows(v, n=48):
    x = np.stack([v[i:i + n] for i in range(len(v) - n)])
    return torch.tensor(x, dtype=torch.float32), torch.tensor(v[n:], dtype=torch.float32)


train_loader = DataLoader(TensorDataset(*windows(train_v)), batch_size=64, shuffle=True)
x_test, y_test = windows(test_v)


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 64, batch_first=True)
        self.fc = nn.Linear(64, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.fc(out[:, -1])


net = Forecaster()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(20):
    net.train()
    for x, y in train_loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
net.eval()
with torch.no_grad():
    pred = scaler.inverse_transform(net(x_test).numpy())
print("MAE", np.abs(pred - scaler.inverse_transform(y_test.numpy())).mean())
