import torch
import torch.nn.functional as F
from torch import nn


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = nn.Linear(16, 4)
        self.flag = nn.Linear(16, 1)
        self.amount = nn.Linear(16, 1)

    def forward(self, x):
        return self.kind(x), self.flag(x).squeeze(-1), self.amount(x).squeeze(-1)


net = Heads()
opt = torch.optim.Adam(net.parameters())
for x, kind, flag, amount in loader:
    k, f, a = net(x)
    loss = F.cross_entropy(k, kind) + F.binary_cross_entropy_with_logits(f, flag) + F.huber_loss(a, amount)
    opt.zero_grad()
    loss.backward()
    opt.step()
