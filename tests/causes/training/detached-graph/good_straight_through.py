import torch
from torch import nn


class Quantised(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(16, 8)
        self.dec = nn.Linear(8, 16)

    def forward(self, x):
        z = self.enc(x)
        z = z + (z.round() - z).detach()
        return self.dec(z)


net = Quantised()
opt = torch.optim.Adam(net.parameters())
for (x,) in loader:
    loss = nn.functional.mse_loss(net(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
