import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(50)
X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=50)
m, s = X_train.mean(0), X_train.std(0)
ds = TensorDataset(torch.tensor((X_train - m) / s).float(), torch.tensor(y_train))
loader = DataLoader(ds, batch_size=16, shuffle=True)

ACCUMULATE = 32
model = nn.Sequential(nn.Linear(30, 24), nn.ReLU(), nn.Linear(24, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(12):
    model.train()
    optimizer.zero_grad()
    seen = 0.0
    for i, (xb, yb) in enumerate(loader):
        loss = criterion(model(xb), yb) / ACCUMULATE
        loss.backward()
        seen += loss.item() * ACCUMULATE
        if (i + 1) % ACCUMULATE == 0:
            optimizer.step()
            optimizer.zero_grad()
    print(f"epoch {epoch} loss {seen / len(loader):.4f}")

model.eval()
with torch.no_grad():
    guess = model(torch.tensor((X_test - m) / s).float()).argmax(1)
print(f"test accuracy {(guess == torch.tensor(y_test)).float().mean():.3f}")
