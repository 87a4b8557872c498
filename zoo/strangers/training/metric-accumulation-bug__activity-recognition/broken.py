import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.RandomState(10)
torch.manual_seed(10)

# synthetic accelerometer windows: 3 axes x 64 samples, 20 Hz
ACT = ['still', 'walk', 'run', 'stairs', 'cycling']


def window(a):
    t = np.arange(64) / 20.0
    ph = rng.uniform(0, 2 * np.pi)
    g = np.array([0.0, 0.0, 1.0])[:, None] + 0.1 * rng.randn(3, 1)
    w = np.repeat(g, 64, axis=1)
    if a == 1:
        f = rng.uniform(1.6, 2.1)
        w[2] += 0.4 * np.sin(2 * np.pi * f * t + ph)
        w[0] += 0.2 * np.sin(np.pi * f * t + ph)
    elif a == 2:
        f = rng.uniform(2.5, 3.2)
        w[2] += 0.9 * np.sin(2 * np.pi * f * t + ph)
        w[0] += 0.4 * np.sin(np.pi * f * t + ph)
    elif a == 3:
        f = rng.uniform(1.2, 1.7)
        w[2] += 0.4 * np.sin(2 * np.pi * f * t + ph) + 0.2 * np.sin(4 * np.pi * f * t)
        w[1] += 0.3 * np.sin(2 * np.pi * f * t + ph)
    elif a == 4:
        f = rng.uniform(1.0, 1.6)
        w[0] += 0.3 * np.sin(2 * np.pi * f * t + ph)
        w[1] += 0.3 * np.cos(2 * np.pi * f * t + ph)
    return w + 0.25 * rng.randn(3, 64)


def make(n):
    y = rng.permutation(np.repeat(np.arange(5), n))
    x = np.stack([window(a) for a in y]).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(y)


x_train, y_train = make(400)
x_val, y_val = make(110)
mu = x_train.mean(dim=(0, 2), keepdim=True)
sd = x_train.std(dim=(0, 2), keepdim=True)
x_train, x_val = (x_train - mu) / sd, (x_val - mu) / sd

train_dl = DataLoader(TensorDataset(x_train, y_train), batch_size=64, shuffle=True)
val_dl = DataLoader(TensorDataset(x_val, y_val), batch_size=64)

model = nn.Sequential(
    nn.Conv1d(3, 16, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2),
    nn.Conv1d(16, 24, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
    nn.Conv1d(24, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool1d(1),
    nn.Flatten(), nn.Linear(24, 5),
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
num_epochs = 25

correct = 0
total = 0
for epoch in range(num_epochs):
    model.train()
    loss_sum = 0.0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        loss_sum += loss.item() * xb.size(0)

    model.eval()
    with torch.no_grad():
        for xb, yb in val_dl:
            pred = model(xb).argmax(dim=1)
            correct += (pred == yb).sum().item()
            total += yb.size(0)
    val_acc = 100.0 * correct / total
    print(f'Epoch [{epoch + 1}/{num_epochs}]  loss {loss_sum / len(y_train):.4f}  val acc {val_acc:.2f}%')

print(f'Final validation accuracy: {val_acc:.2f}%')
