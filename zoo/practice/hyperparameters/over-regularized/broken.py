import torch
from torch import nn
from sklearn.datasets import make_moons

torch.manual_seed(2)
X, y = make_moons(1000, noise=0.1, random_state=2)
X, y = torch.tensor(X).float(), torch.tensor(y)
m = nn.Sequential(nn.Linear(2, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 2))
o = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9, weight_decay=0.08)
for ep in range(25):
    for i in torch.randperm(800).split(40):
        l = nn.functional.cross_entropy(m(X[i]), y[i])
        o.zero_grad(); l.backward(); o.step()
    if ep % 5 == 4:
        print(ep + 1, l.item())
with torch.no_grad():
    print("acc: %.3f" % (m(X[800:]).argmax(1) == y[800:]).float().mean())
