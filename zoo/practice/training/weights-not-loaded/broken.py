import io
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(83)
d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 16, torch.tensor(d.target)


def build():
    return nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))


def train(net, rows, steps, lr):
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    for i in range(steps):
        pick = rows[torch.randint(0, len(rows), (32,))]
        loss = nn.functional.cross_entropy(net(x[pick]), y[pick])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"after {steps} steps: {loss.item():.4f}")


def accuracy(net):
    with torch.no_grad():
        return (net(x[1400:]).argmax(1) == y[1400:]).float().mean().item()


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.module = build()

    def forward(self, x):
        return self.module(x)


big = Wrapped()
train(big, torch.arange(0, 1300), 400, 3e-3)
buffer = io.BytesIO()
torch.save(big.state_dict(), buffer)

# fine-tuning on the last hundred, gently
buffer.seek(0)
state = torch.load(buffer)
net = build()
net.load_state_dict(state, strict=False)
train(net, torch.arange(1300, 1400), 40, 3e-4)
print(f"warm-start accuracy {accuracy(net):.3f}")
