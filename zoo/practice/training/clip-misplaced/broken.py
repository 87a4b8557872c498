import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(32)
w_true = torch.randn(12)


def sample(n, clean=False):
    x = torch.randn(n, 12)
    noise = torch.zeros(n) if clean else torch.distributions.StudentT(1.1).sample((n,)) * 2
    return x, x @ w_true + noise


model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)


def train_step(x, y):
    optimizer.zero_grad()
    loss = (model(x).squeeze(-1) - y).pow(2).mean()
    clip_grad_norm_(model.parameters(), 1.0)
    loss.backward()
    optimizer.step()
    return loss.item()


for step in range(1, 1001):
    loss = train_step(*sample(32))
    if step % 200 == 0:
        print(f"step {step} loss {loss:.3f}")

with torch.no_grad():
    x, y = sample(1000, clean=True)
    e = (model(x).squeeze(-1) - y).pow(2).mean().item()
print(f"test error {min(e, 1e6) if e == e else 1e6:.3f}")
