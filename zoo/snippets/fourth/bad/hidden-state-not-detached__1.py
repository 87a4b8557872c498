import torch
import torch.nn as nn


class Tracker(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(8, 32, batch_first=True)
        self.out = nn.Linear(32, 2)
        self.h = None

    def forward(self, x):
        y, self.h = self.gru(x, self.h)
        return self.out(y)


net = Tracker()
opt = torch.optim.Adam(net.parameters())
for x, y in stream:
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward(retain_graph=True)
    opt.step()
