import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

np.random.seed(5)
torch.manual_seed(5)

digits = load_digits()
by_class = [digits.data[digits.target == c] / 16.0 for c in range(10)]
# 130 of each class to train, the rest to test
X = np.concatenate([rows[:130] for rows in by_class]).astype(np.float32)
y = np.repeat(np.arange(10), 130)
X_test = np.concatenate([rows[130:] for rows in by_class]).astype(np.float32)
y_test = np.concatenate([[c] * (len(rows) - 130) for c, rows in enumerate(by_class)])

X, y = torch.from_numpy(X), torch.from_numpy(y)
model = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 10))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

B = 26
for epoch in range(12):
    tot = 0.0
    for s in range(0, len(X), B):
        out = model(X[s:s + B])
        loss = nn.functional.cross_entropy(out, y[s:s + B])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    print(f"epoch {epoch} mean loss {tot / (len(X) // B):.3f}")

with torch.no_grad():
    acc = (model(torch.from_numpy(X_test)).argmax(1).numpy() == y_test).mean()
print(f"final accuracy {acc:.3f}")
