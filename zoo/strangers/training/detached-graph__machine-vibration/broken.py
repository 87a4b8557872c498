# vibration classifier for the test bench, v2
# classes: 0 ok, 1 bearing, 2 gear, 3 imbalance

import numpy as np
import torch
import torch.nn as nn

np.random.seed(7)
torch.manual_seed(7)

N_PER_CLASS = 400
LENGTH = 160


def make_signal(kind):
    t = np.arange(LENGTH) / LENGTH
    s = np.sin(2 * np.pi * 5 * t + np.random.uniform(0, 2 * np.pi))
    if kind == 1:       # short clicks, regular
        period = np.random.randint(18, 26)
        start = np.random.randint(0, period)
        for p in range(start, LENGTH - 4, period):
            s[p:p + 4] += np.array([1.5, -1.5, 1.0, -1.0])
    elif kind == 2:     # tooth mesh frequency, modulated
        f = np.random.uniform(28, 34)
        s += 0.6 * np.sin(2 * np.pi * f * t) * (1 + np.sin(2 * np.pi * 5 * t))
    elif kind == 3:     # second harmonic
        s += 0.7 * np.sin(2 * np.pi * 10 * t + np.random.uniform(0, 2 * np.pi))
    return s + 0.5 * np.random.randn(LENGTH)


def make_set(n):
    X, y = [], []
    for k in range(4):
        for _ in range(n):
            X.append(make_signal(k))
            y.append(k)
    X = torch.tensor(np.array(X), dtype=torch.float32).unsqueeze(1)
    return X, torch.tensor(y)


Xtrain, ytrain = make_set(N_PER_CLASS)
Xtest, ytest = make_set(100)
m, s = Xtrain.mean(), Xtrain.std()
Xtrain, Xtest = (Xtrain - m) / s, (Xtest - m) / s


class VibNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(1, 8, 9, padding=4)
        self.c2 = nn.Conv1d(8, 12, 9, padding=4)
        self.act = nn.ReLU()
        self.out = nn.Linear(24, 4)

    def forward(self, x):
        h = self.act(self.c1(x))
        h = self.act(self.c2(h))
        # energy statistics over time
        h = h.detach().numpy()
        feat = np.concatenate([h.mean(axis=2), h.max(axis=2)], axis=1)
        return self.out(torch.from_numpy(feat))


net = VibNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
lossf = nn.CrossEntropyLoss()

for ep in range(25):
    net.train()
    order = torch.randperm(len(Xtrain))
    losses = []
    for idx in order.split(40):
        opt.zero_grad()
        loss = lossf(net(Xtrain[idx]), ytrain[idx])
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print("epoch", ep + 1, "loss", round(float(np.mean(losses)), 4))

net.eval()
with torch.no_grad():
    pred = net(Xtest).argmax(1)

print("test accuracy:", (pred == ytest).float().mean().item())
for k, name in enumerate(["ok", "bearing", "gear", "imbalance"]):
    print("  ", name, (pred[ytest == k] == k).float().mean().item())
