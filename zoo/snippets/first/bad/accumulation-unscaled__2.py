import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(21)
N, BATCH, ACC = 1000, 32, 12
X = torch.randn(N, 40)
w = torch.randn(40, 1)
y = X @ w + 0.1 * torch.randn(N, 1)
loader = DataLoader(TensorDataset(X, y), batch_size=BATCH, shuffle=True)

model = nn.Sequential(nn.Linear(40, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(50):
    optimizer.zero_grad()
    for i, (xb, yb) in enumerate(loader):
        loss = nn.functional.mse_loss(model(xb), yb) / ACC
        loss.backward()
        if (i + 1) % ACC == 0:
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, loss.item() * ACC)
