import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

X, y = load_digits(return_X_y=True)
x = torch.tensor(X, dtype=torch.float32) / 16
target = F.one_hot(torch.tensor(y), 10).float()
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
opt = torch.optim.Adam(net.parameters())
for step in range(100):
    rows = torch.randperm(len(x))[:64]
    loss = F.mse_loss(net(x[rows]), target[rows])
    opt.zero_grad()
    loss.backward()
    opt.step()
