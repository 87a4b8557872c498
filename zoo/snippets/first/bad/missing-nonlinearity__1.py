import torch
from torch import nn
from sklearn.datasets import make_moons

X, y = make_moons(2000, noise=0.2, random_state=0)
X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(y, dtype=torch.long)

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(2, 64),
    nn.Linear(64, 64),
    nn.Linear(64, 2),
)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for it in range(2000):
    idx = torch.randint(0, len(X), (256,))
    loss = nn.functional.cross_entropy(model(X[idx]), y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    print("train acc", (model(X).argmax(1) == y).float().mean().item())
