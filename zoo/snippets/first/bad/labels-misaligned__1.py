import numpy as np
import torch
import torch.nn.functional as F

np.random.seed(7)
torch.manual_seed(7)

data = np.load("gestures.npz")
X, y = data["emg"].astype("float32"), data["gesture"].astype("int64")

np.random.shuffle(X)
np.random.shuffle(y)

n_train = int(0.8 * len(X))
Xtr, ytr = torch.tensor(X[:n_train]), torch.tensor(y[:n_train])
Xte, yte = torch.tensor(X[n_train:]), torch.tensor(y[n_train:])
mu, sd = Xtr.mean(0), Xtr.std(0) + 1e-6
Xtr, Xte = (Xtr - mu) / sd, (Xte - mu) / sd

model = torch.nn.Sequential(
    torch.nn.Linear(Xtr.shape[1], 64),
    torch.nn.ReLU(),
    torch.nn.Linear(64, 6),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

for epoch in range(40):
    perm = torch.randperm(len(Xtr))
    for k in range(0, len(perm), 64):
        b = perm[k:k + 64]
        loss = F.cross_entropy(model(Xtr[b]), ytr[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

with torch.no_grad():
    acc = (model(Xte).argmax(1) == yte).float().mean().item()
print(f"test accuracy {acc:.3f}")
