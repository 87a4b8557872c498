import torch
import torch.nn as nn
from sklearn.datasets import make_circles


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(x)
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, grad):
        x, s = ctx.saved_tensors
        return grad * (s - x * s * (1 + s))


class Act(nn.Module):
    def forward(self, x):
        return Swish.apply(x)


torch.manual_seed(26)
X, y = make_circles(1200, noise=0.08, factor=0.5, random_state=26)
X, y = torch.tensor(X).float() * 2, torch.tensor(y)
net = nn.Sequential(nn.Linear(2, 24), Act(), nn.Linear(24, 24), Act(), nn.Linear(24, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(20):
    for i in torch.randperm(1000).split(50):
        loss = nn.functional.cross_entropy(net(X[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1} loss {loss.item():.4f}")
with torch.no_grad():
    print(f"accuracy {(net(X[1000:]).argmax(1) == y[1000:]).float().mean().item():.3f}")
