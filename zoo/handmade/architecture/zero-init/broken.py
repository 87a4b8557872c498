"""Handwritten digits with a small network built from scratch."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(7)


class Dense(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(n_in, n_out))
        self.b = nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return x @ self.w + self.b


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = Dense(64, 96)
        self.fc2 = Dense(96, 48)
        self.out = Dense(48, 10)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.out(x)


digits = load_digits()
X_train, X_test, y_train, y_test = train_test_split(
    digits.data, digits.target, test_size=0.25, stratify=digits.target, random_state=0
)
X_train = torch.tensor(X_train, dtype=torch.float32)
X_test = torch.tensor(X_test, dtype=torch.float32)
y_train = torch.tensor(y_train)
y_test = torch.tensor(y_test)

# one mean and spread for all pixels, so that empty border pixels stay harmless
mu, sd = X_train.mean(), X_train.std()
X_train = (X_train - mu) / sd
X_test = (X_test - mu) / sd

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)

batch = 64
n_epochs = 30
for epoch in range(n_epochs):
    order = torch.randperm(len(X_train))
    total = 0.0
    for i in range(0, len(order), batch):
        idx = order[i : i + batch]
        loss = F.cross_entropy(net(X_train[idx]), y_train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1:3d} | train loss {total / len(X_train):.4f}")

net.eval()
with torch.no_grad():
    pred = net(X_test).argmax(dim=1)
acc = (pred == y_test).float().mean().item()
print(f"test accuracy: {acc:.3f}")
