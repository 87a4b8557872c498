import torch
import torch.nn.functional as F
from sklearn.datasets import load_iris

X, y = load_iris(return_X_y=True)
X, y = torch.tensor(X).float(), torch.tensor(y)
w = torch.nn.Linear(4, 3)
opt = torch.optim.Adam(w.parameters())
for epoch in range(50):
    for i in range(0, len(X), 10):
        loss = F.cross_entropy(w(X[i : i + 10]), y[i : i + 10])  # unshuffled-training
        opt.zero_grad()
        loss.backward()
        opt.step()
