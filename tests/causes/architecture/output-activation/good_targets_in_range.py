import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(512, 8)
noise = torch.randn(512, 1)
share = torch.sigmoid(x[:, :1] + noise)
positive = (x[:, 1:2] + noise > 0).float()
trunk = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2), nn.Sigmoid())
teacher = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
student = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
rebuild = nn.Sequential(nn.Linear(8, 3), nn.Tanh(), nn.Linear(3, 8), nn.ReLU())
optimizer = torch.optim.Adam([*trunk.parameters(), *student.parameters(), *rebuild.parameters()])
for xb, sb, pb in DataLoader(TensorDataset(x, share, positive), batch_size=64, shuffle=True):
    guess = trunk(xb)
    with torch.no_grad():
        wanted = teacher(xb)
    loss = F.mse_loss(guess[:, :1], sb) + F.l1_loss(guess[:, 1:], pb)
    loss = loss + F.mse_loss(student(xb), wanted) + F.mse_loss(rebuild(xb.abs()), xb.abs())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
