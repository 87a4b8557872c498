import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

rng = np.random.default_rng(0)
inputs = torch.from_numpy(rng.normal(size=(400, 6))).float()
targets = torch.from_numpy(rng.normal(size=400)).float().unsqueeze(1)
net = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1), nn.Flatten(0))
opt = torch.optim.Adam(net.parameters())


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 1)

    def forward(self, x):
        return self.fc(x).squeeze(-1)


head = Head()
for step in range(200):
    idx = torch.randint(0, 400, (32,))
    pred = head(inputs[idx])
    loss = F.smooth_l1_loss(pred, targets[idx])  # loss-broadcast
    opt.zero_grad()
    loss.backward()
    opt.step()
