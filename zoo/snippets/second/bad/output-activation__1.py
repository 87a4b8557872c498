import numpy as np
import pandas as pd
import torch
import torch.nn as nn

prices = pd.read_csv("spx_daily.csv", parse_dates=["Date"]).sort_values("Date")
ret = np.log(prices["Close"]).diff().dropna().to_numpy(dtype=np.float32) * 100

SEQ = 30
windows = np.stack([ret[i:i + SEQ] for i in range(len(ret) - SEQ)])
target = ret[SEQ:]
cut = int(len(windows) * 0.85)
x_train = torch.from_numpy(windows[:cut]).unsqueeze(-1)
y_train = torch.from_numpy(target[:cut]).unsqueeze(-1)


class ReturnLSTM(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, 1), nn.ReLU())

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.head(out[:, -1])


torch.manual_seed(0)
model = ReturnLSTM()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
crit = nn.MSELoss()
for epoch in range(30):
    perm = torch.randperm(cut)
    for idx in perm.split(64):
        opt.zero_grad()
        loss = crit(model(x_train[idx]), y_train[idx])
        loss.backward()
        opt.step()
    print(epoch, loss.item())
