import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(4)
torch.manual_seed(4)
X = rng.normal(size=(3000, 10)).astype(np.float32)
Y = ((X[:, 0] * X[:, 1] + X[:, 2] - 0.5 * X[:, 3]) > 0).astype(np.float32)
X, Y = torch.from_numpy(X), torch.from_numpy(Y)

model = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 1))
criterion = nn.BCEWithLogitsLoss(reduction="sum")
opt = torch.optim.SGD(model.parameters(), lr=0.4 / 100, momentum=0.9)
n_train, bs = 2500, 100
for epoch in range(40):
    total = 0.0
    for start in range(0, n_train, bs):
        xb, yb = X[start:start + bs], Y[start:start + bs]
        loss = criterion(model(xb).flatten(), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    if epoch % 8 == 7:
        print(f"epoch {epoch + 1} nll per sample {total / n_train:.4f}")
with torch.no_grad():
    acc = ((model(X[n_train:]).flatten() > 0).float() == Y[n_train:]).float().mean()
print(f"accuracy {acc:.3f}")
