"""Three interleaved spirals, separated by a deep and narrow network."""

import math

import torch
import torch.nn as nn

torch.manual_seed(21)

N_ARMS = 3
DEPTH = 10
WIDTH = 32
BATCH = 100
EPOCHS = 30


def spirals(n):
    arm = torch.randint(N_ARMS, (n,))
    r = torch.rand(n).sqrt()
    angle = 2.2 * math.pi * r + arm * 2 * math.pi / N_ARMS
    xy = torch.stack([r * angle.cos(), r * angle.sin()], dim=1)
    return xy + 0.015 * torch.randn(n, 2), arm


def block(n_in, n_out):
    return [nn.Linear(n_in, n_out, bias=False), nn.BatchNorm1d(n_out), nn.ReLU()]


x_train, y_train = spirals(3000)
x_test, y_test = spirals(1000)
centre, spread = x_train.mean(0), x_train.std(0)
x_train = (x_train - centre) / spread
x_test = (x_test - centre) / spread

layers = block(2, WIDTH)
for _ in range(DEPTH - 1):
    layers += block(WIDTH, WIDTH)
layers.append(nn.Linear(WIDTH, N_ARMS))
net = nn.Sequential(*layers)

# dry run on one point to see that the shapes fit
net.eval()
with torch.no_grad():
    print("output shape:", tuple(net(x_train[:1]).shape))
print("parameters:", sum(p.numel() for p in net.parameters()))

opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)
crit = nn.CrossEntropyLoss()

for epoch in range(EPOCHS):
    perm = torch.randperm(len(x_train))
    total = 0.0
    for i in range(0, len(perm), BATCH):
        idx = perm[i : i + BATCH]
        opt.zero_grad()
        loss = crit(net(x_train[idx]), y_train[idx])
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    sched.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1}/{EPOCHS}: loss {total / len(perm):.4f}")

net.eval()
with torch.no_grad():
    acc = (net(x_test).argmax(1) == y_test).float().mean().item()
print(f"held-out accuracy: {acc:.3f}")
