import torch.nn.functional as F
from torch import nn

net = nn.Sequential(
    nn.Linear(10, 20),
    nn.GELU(),
    nn.Linear(20, 3),
    nn.Softmax(dim=1),  # logits-into-prob-loss
)
for x, y in loader:
    opt.zero_grad()
    F.nll_loss(net(x), y).backward()
    opt.step()
