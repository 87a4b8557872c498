import torch
import torch.nn as nn
from sklearn.datasets import load_iris
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(90)
iris = load_iris()
perm = torch.randperm(150)
x = torch.tensor(iris.data, dtype=torch.float32)[perm]
y = torch.tensor(iris.target)[perm]
mean, std = x[:100].mean(0), x[:100].std(0)
x = (x - mean) / std
train_loader = DataLoader(TensorDataset(x[:100], y[:100]), batch_size=10, shuffle=True)
val_loader = DataLoader(TensorDataset(x[100:], y[100:]), batch_size=10)

model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

correct = 0
for epoch in range(25):
    model.train()
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()

    model.eval()
    total = 0
    val_loss = 0.0
    with torch.no_grad():
        for xb, yb in val_loader:
            out = model(xb)
            val_loss += criterion(out, yb).item()
            correct += (out.argmax(1) == yb).sum().item()
            total += len(yb)
    acc = correct / total
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} val loss {val_loss / len(val_loader):.4f} acc {acc:.3f}")
print(f"final acc {acc:.3f}")
