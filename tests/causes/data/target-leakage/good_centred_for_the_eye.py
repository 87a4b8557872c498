"""A centred curve that is drawn and never handed to the model; another smooths a column nobody predicts."""

import pandas as pd
import torch

rides = pd.read_csv("rides.csv", parse_dates=["day"])
rides["curve"] = rides["rides"].rolling(5, center=True).mean()
rides["warmth"] = rides["temperature"].rolling(3, center=True).mean()
rides["week"] = rides["rides"].rolling(7).mean()
rides["tomorrow"] = rides["rides"].shift(-1)
rides[["day", "rides"]].plot(x="day")
rides["curve"].plot()
rides = rides.dropna()
FEATURES = ["week", "warmth"]
inputs = torch.tensor(rides[FEATURES].to_numpy(), dtype=torch.float32)
targets = torch.tensor(rides["tomorrow"].to_numpy(), dtype=torch.float32)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(100):
    loss = torch.nn.functional.mse_loss(model(inputs[:300]).squeeze(1), targets[:300])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
