"""Fault classification for centrifugal pumps from eight process sensors."""
import numpy as np
import torch
from sklearn.metrics import confusion_matrix, f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

RANDOM_STATE = 2023
np.random.seed(RANDOM_STATE)
torch.manual_seed(RANDOM_STATE)

FAULTS = ["normal", "cavitation", "bearing wear", "seal leak"]


def simulate_pumps(n_per_fault):
    rows, labels = [], []
    for fault in range(len(FAULTS)):
        n = n_per_fault
        rpm = np.random.normal(2950, 40, n)
        load = np.random.uniform(0.4, 1.0, n)
        suction = np.random.normal(101_325, 900, n)                 # Pa
        discharge = suction + 3.2e5 * load + np.random.normal(0, 4e3, n)
        flow = 0.045 * load * rpm / 2950 + np.random.normal(0, 0.0008, n)   # m3/s
        current = 18 + 22 * load + np.random.normal(0, 0.8, n)      # A
        temp = 318 + 14 * load + np.random.normal(0, 1.2, n)        # K
        vib = 0.002 + 0.0015 * load + np.abs(np.random.normal(0, 0.0004, n))  # m/s
        hiss = 120 + 30 * load + np.random.normal(0, 9, n)          # acoustic counts
        if fault == 1:
            suction -= 1_100 * (0.5 + load)
            hiss += 22 * load
            flow *= 0.97
        elif fault == 2:
            vib += 0.0009
            temp += 2.4
        elif fault == 3:
            flow *= 0.90
            discharge -= 1.6e4
        rows.append(np.stack([rpm, suction, discharge, flow, current, temp, vib, hiss], axis=1))
        labels.append(np.full(n, fault))
    return np.concatenate(rows), np.concatenate(labels)


X, y = simulate_pumps(1200)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=RANDOM_STATE)
X_train, X_val, y_train, y_val = train_test_split(
    X_train, y_train, test_size=0.2, stratify=y_train, random_state=RANDOM_STATE)

scaler = StandardScaler()
X_train_scaled = scaler.fit_transform(X_train)
X_val_scaled = scaler.transform(X_val)
X_test_scaled = scaler.transform(X_test)


def as_dataset(features, target):
    return TensorDataset(torch.as_tensor(features, dtype=torch.float32), torch.as_tensor(target, dtype=torch.long))


splits = (X_train, y_train), (X_val, y_val), (X_test, y_test)
train_ds, val_ds, test_ds = [as_dataset(*s) for s in splits]
train_loader = DataLoader(train_ds, batch_size=64, shuffle=True)
val_loader = DataLoader(val_ds, batch_size=256)
test_loader = DataLoader(test_ds, batch_size=256)


class FaultNet(nn.Module):
    def __init__(self, n_features=8, n_classes=len(FAULTS)):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_features, 64), nn.ReLU(),
            nn.Linear(64, 32), nn.ReLU(),
            nn.Linear(32, n_classes))

    def forward(self, x):
        return self.net(x)


model = FaultNet()
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=1e-3)


def predict(loader):
    model.eval()
    logits, target = [], []
    with torch.no_grad():
        for xb, yb in loader:
            logits.append(model(xb))
            target.append(yb)
    return torch.cat(logits), torch.cat(target)


EPOCHS = 25
for epoch in range(1, EPOCHS + 1):
    model.train()
    epoch_loss = 0.0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * xb.size(0)
    if epoch % 2 == 1:
        val_logits, val_y = predict(val_loader)
        print(f"Epoch {epoch:02d} | train loss {epoch_loss / len(train_ds):.4f} "
              f"| val loss {criterion(val_logits, val_y).item():.4f}")

test_logits, test_y = predict(test_loader)
pred = test_logits.argmax(dim=1)
print(confusion_matrix(test_y, pred))
print(f"Test accuracy {(pred == test_y).float().mean().item():.3f}, macro F1 {f1_score(test_y, pred, average='macro'):.3f}")
