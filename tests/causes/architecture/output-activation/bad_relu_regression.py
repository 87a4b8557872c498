import torch
from torch import nn
import torch.nn.functional as F

X = torch.randn(1000, 6)
y = X[:, 0] * 3 - X[:, 1] + 0.1 * torch.randn(1000)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 32)
        self.b = nn.Linear(32, 1)

    def forward(self, x):
        x = F.relu(self.a(x))
        return F.relu(self.b(x)).squeeze(1)  # output-activation


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(200):
    opt.zero_grad()
    loss = F.mse_loss(net(X), y)
    loss.backward()
    opt.step()
