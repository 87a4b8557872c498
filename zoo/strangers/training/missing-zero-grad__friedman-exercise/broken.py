"""
Exercise 4 - regression with a multi-layer perceptron
=====================================================
a) Load the Friedman data set and split it into train / test.
b) Standardise inputs and targets with the *training* statistics.
c) Implement an MLP with two hidden layers.
d) Write the training loop and report the R^2 on the test set.
"""
import numpy as np
import torch
from torch import nn
from sklearn.datasets import make_friedman1
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split

SEED = 1
np.random.seed(SEED)
torch.manual_seed(SEED)

# --- a) -----------------------------------------------------------------
X, y = make_friedman1(n_samples=3000, n_features=8, noise=0.5, random_state=SEED)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.2, random_state=SEED)

# --- b) -----------------------------------------------------------------
x_mean, x_std = X_tr.mean(axis=0), X_tr.std(axis=0)
y_mean, y_std = y_tr.mean(), y_tr.std()

X_tr = torch.tensor((X_tr - x_mean) / x_std, dtype=torch.float32)
X_te = torch.tensor((X_te - x_mean) / x_std, dtype=torch.float32)
t_tr = torch.tensor((y_tr - y_mean) / y_std, dtype=torch.float32).unsqueeze(1)


# --- c) -----------------------------------------------------------------
class MLP(nn.Module):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.l1 = nn.Linear(n_in, n_hidden)
        self.l2 = nn.Linear(n_hidden, n_hidden)
        self.l3 = nn.Linear(n_hidden, 1)

    def forward(self, x):
        x = torch.tanh(self.l1(x))
        x = torch.tanh(self.l2(x))
        return self.l3(x)


model = MLP(X_tr.shape[1], 32)
loss_fn = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

# --- d) -----------------------------------------------------------------
n_epochs = 60
batch_size = 50
n = len(X_tr)

for epoch in range(n_epochs):
    perm = torch.randperm(n)
    total = 0.0
    for start in range(0, n, batch_size):
        idx = perm[start:start + batch_size]
        xb, tb = X_tr[idx], t_tr[idx]

        pred = model(xb)
        loss = loss_fn(pred, tb)
        loss.backward()
        optimizer.step()

        total += loss.item() * len(idx)
    if epoch % 5 == 0 or epoch == n_epochs - 1:
        print(f"epoch {epoch:3d}   train MSE {total / n:.4f}")

model.eval()
with torch.no_grad():
    y_pred = model(X_te).squeeze(1).numpy() * y_std + y_mean

print(f"R^2 on the test set: {r2_score(y_te, y_pred):.3f}")
