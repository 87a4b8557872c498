import numpy as np
import torch
import torch.nn as nn

X = np.load("spectra.npy").astype("float32")
y = np.load("mineral_id.npy").astype("int64")

rng = np.random.default_rng(7)
torch.manual_seed(7)

# mix things up before making batches
X = X[rng.permutation(len(X))]
y = y[rng.permutation(len(y))]

n_train = int(0.8 * len(X))
X_train, y_train = torch.tensor(X[:n_train]), torch.tensor(y[:n_train])
X_val, y_val = torch.tensor(X[n_train:]), torch.tensor(y[n_train:])

mean, std = X_train.mean(0), X_train.std(0) + 1e-6
X_train = (X_train - mean) / std
X_val = (X_val - mean) / std

model = nn.Sequential(nn.Linear(X.shape[1], 128), nn.ReLU(), nn.Linear(128, 12))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(50):
    model.train()
    order = torch.randperm(n_train)
    for start in range(0, n_train, 64):
        idx = order[start:start + 64]
        optimizer.zero_grad()
        loss = criterion(model(X_train[idx]), y_train[idx])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        acc = (model(X_val).argmax(1) == y_val).float().mean().item()
    print(f"epoch {epoch} val acc {acc:.3f}")
