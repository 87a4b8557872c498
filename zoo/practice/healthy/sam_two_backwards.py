"""Sharpness-aware minimisation written out: two backward passes per step."""
import torch
import torch.nn as nn
from sklearn.datasets import make_moons

torch.manual_seed(3)
X, y = make_moons(1200, noise=0.15, random_state=3)
X, y = torch.tensor(X).float(), torch.tensor(y)
net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
loss_of = lambda k: nn.functional.cross_entropy(net(X[k]), y[k])
for epoch in range(15):
    for k in torch.randperm(900).split(45):
        opt.zero_grad()
        loss_of(k).backward()
        with torch.no_grad():
            norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm() + 1e-12
            push = [0.05 * p.grad / norm for p in net.parameters()]
            for p, e in zip(net.parameters(), push):
                p.add_(e)
        opt.zero_grad()
        loss = loss_of(k)
        loss.backward()
        with torch.no_grad():
            for p, e in zip(net.parameters(), push):
                p.sub_(e)
        opt.step()
    if epoch % 3 == 2:
        print(epoch + 1, f"{loss.item():.4f}")
with torch.no_grad():
    print(f"accuracy {(net(X[900:]).argmax(1) == y[900:]).float().mean().item():.3f}")
