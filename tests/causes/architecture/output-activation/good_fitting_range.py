import numpy as np
import torch
import torch.nn as nn

rng = np.random.default_rng(5)
x = rng.normal(size=(500, 4))
share = np.clip(x.mean(1), 0, 1)
chance = 1 / (1 + np.exp(-x.sum(1)))
wave = torch.tensor(np.sin(x.sum(1)) * 0.9).float()
inputs = torch.tensor(x).float()
few = torch.tensor([[0.1], [0.9], [0.4], [1.0]])

torch.manual_seed(5)
bounded = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())
swing = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())
opt = torch.optim.Adam([*bounded.parameters(), *swing.parameters()], lr=1e-2)
for _ in range(300):
    opt.zero_grad()
    loss = nn.functional.mse_loss(bounded(inputs)[:, 0], torch.tensor(share).float())
    loss = loss + nn.functional.mse_loss(bounded(inputs)[:, 0], torch.tensor(chance).float())
    loss = loss + nn.functional.mse_loss(swing(inputs)[:, 0], wave)
    loss = loss + nn.functional.mse_loss(bounded(inputs[:4]), few)
    loss.backward()
    opt.step()
