import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(88)
w = torch.randn(16) * 0.15
X = torch.randn(6000, 16)
y = X @ w + 1.5 * torch.randn(6000)
ds = TensorDataset(X, y)
loader = DataLoader(ds, batch_size=1, shuffle=True)

model = nn.Linear(16, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.03)
epochs = 2
losses = []
for epoch in range(epochs):
    for xb, yb in loader:
        loss = nn.functional.mse_loss(model(xb).squeeze(1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print(f"epoch {epoch} mse {sum(losses[-len(loader):]) / len(loader):.4f}")
err = (model.weight.detach()[0] - w).norm() / w.norm()
print(f"weight error {err.item():.3f}")
