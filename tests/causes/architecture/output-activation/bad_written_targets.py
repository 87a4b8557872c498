import torch
from torch import nn


class Price(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 8)
        self.last = nn.Linear(8, 1)

    def forward(self, x):
        return torch.sigmoid(self.last(torch.relu(self.hidden(x))))  # output-activation


rooms = torch.tensor([[1.0, 30.0], [2.0, 55.0], [3.0, 80.0], [4.0, 120.0]])
rent = torch.tensor([[4.5], [7.1], [9.8], [14.0]])


def fit(net, steps=2000):
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(steps):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(rooms), rent)
        loss.backward()
        opt.step()
