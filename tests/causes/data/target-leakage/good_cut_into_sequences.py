import numpy as np
import pandas as pd
import torch
from torch import nn

frame = pd.read_csv("prices.csv")
frame["before"] = frame["close"].shift(1)
frame["average"] = frame["close"].rolling(10).mean()
frame = frame.dropna()
table, y = frame[["close", "before", "average"]].values, frame["close"].values
lookback = 30
inputs = np.stack([table[i - lookback : i] for i in range(lookback, len(table))])
outputs = y[lookback:]

net = nn.LSTM(3, 32, batch_first=True)
head = nn.Linear(32, 1)
optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()])
for _ in range(100):
    optimizer.zero_grad()
    hidden, _ = net(torch.tensor(inputs, dtype=torch.float32))
    nn.functional.mse_loss(head(hidden[:, -1]).squeeze(1), torch.tensor(outputs).float()).backward()
    optimizer.step()
