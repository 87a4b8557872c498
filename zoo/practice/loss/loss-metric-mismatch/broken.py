import torch
from sklearn.datasets import make_moons
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(77)
X, y = make_moons(1500, noise=0.15, random_state=77)
X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
train_dl = DataLoader(TensorDataset(X[:1200], y[:1200]), batch_size=50, shuffle=True)
val_dl = DataLoader(TensorDataset(X[1200:], y[1200:]), batch_size=50)

model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.BCEWithLogitsLoss()


def binary_acc(logits, target):
    pred = (logits > 0).float()
    return (pred == target).float().mean().item()


for epoch in range(12):
    model.train()
    train_loss = 0.0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        logits = model(xb)
        loss = criterion(logits, yb.unsqueeze(1))
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
    model.eval()
    accs, vloss = [], 0.0
    with torch.no_grad():
        for xb, yb in val_dl:
            out = model(xb)
            vloss += criterion(out, yb.unsqueeze(1)).item()
            accs.append(binary_acc(out, yb))
    print(f"epoch {epoch:2d} train {train_loss / len(train_dl):.4f} val {vloss / len(val_dl):.4f} "
          f"val accuracy {sum(accs) / len(accs):.3f}")
