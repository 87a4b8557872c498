import torch
import torch.nn.functional as F

net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
strength = 5.0  # over-regularized

for xb, yb in batches:
    l2 = sum(p.pow(2).sum() for p in net.parameters())
    loss = F.mse_loss(net(xb), yb) + strength * l2
    opt.zero_grad()
    loss.backward()
    opt.step()
