# Adversarial training: the inner step climbs the loss with respect to the *input*, the outer one descends it.
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(5)
d = load_digits()
a, b, ya, yb = train_test_split(d.data / 16, d.target, test_size=0.3, random_state=5, stratify=d.target)
xtr, xte = torch.tensor(a, dtype=torch.float32), torch.tensor(b, dtype=torch.float32)
ytr, yte = torch.tensor(ya), torch.tensor(yb)
mu, sd = xtr.mean(), xtr.std()
EPS = 0.08


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, x):
        return self.f((x - mu) / sd)


def attack(model, x, y):
    x = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(nn.functional.cross_entropy(model(x), y), x)
    return (x + EPS * slope.sign()).clamp(0, 1).detach()


model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-3)
for epoch in range(20):
    s = 0.0
    for i in torch.randperm(len(xtr)).split(64):
        x, y = xtr[i], ytr[i]
        hard = attack(model, x, y)
        loss = nn.functional.cross_entropy(model(torch.cat([x, hard])), torch.cat([y, y]))
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() * len(i)
    if epoch % 3 == 1:
        print("epoch", epoch, "loss %.4f" % (s / len(xtr)))

with torch.no_grad():
    clean = (model(xte).argmax(1) == yte).float().mean().item()
worst = attack(model, xte, yte)
with torch.no_grad():
    robust = (model(worst).argmax(1) == yte).float().mean().item()
print("test accuracy %.3f, under attack %.3f" % (clean, robust))
