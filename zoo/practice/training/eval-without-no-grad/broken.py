import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(27)
d = load_digits()
x = torch.tensor(d.images[:, None], dtype=torch.float32) / 16
y = torch.tensor(d.target)
train_loader = DataLoader(TensorDataset(x[:1300], y[:1300]), batch_size=50, shuffle=True)
val_loader = DataLoader(TensorDataset(x[1300:], y[1300:]), batch_size=50)

model = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Conv2d(12, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(192, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
history = []


def validate():
    model.eval()
    loss, outs = 0.0, []
    for xb, yb in val_loader:
        out = model(xb)
        loss += F.cross_entropy(out, yb)
        outs.append(out)
    history.append((loss / len(val_loader), torch.cat(outs)))
    return history[-1]


for epoch in range(6):
    model.train()
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
    vloss, out = validate()
    acc = (out.argmax(1) == y[1300:]).float().mean()
    print(f"epoch {epoch}: val loss {float(vloss):.4f} acc {acc:.3f}")

print(f"outputs with history: {sum(o.requires_grad for _, o in history)}")
