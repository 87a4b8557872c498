import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
lr = 0.1
for x, y in [(torch.randn(16, 4), torch.randint(2, (16,))) for _ in range(20)]:
    loss = F.cross_entropy(net(x), y)
    grads = torch.autograd.grad(loss, list(net.parameters()))
    with torch.no_grad():
        for p, g in zip(net.parameters(), grads):
            p += -lr * g
