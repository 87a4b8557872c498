import torch
from torch import nn


class Tracker(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(4, 32)
        self.fc = nn.Linear(32, 1)
        self.hidden = torch.zeros(1, 8, 32)

    def forward(self, x):
        out, self.hidden = self.cell(x, self.hidden)  # hidden-state-not-detached
        return self.fc(out)


net = Tracker()
opt = torch.optim.Adam(net.parameters())
for x, y in stream:
    loss = ((net(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
