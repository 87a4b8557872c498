import torch
import torch.nn as nn

torch.manual_seed(3)
X = torch.randn(1000, 8)
y = X @ torch.randn(8) + 0.1 * torch.randn(1000)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0))
opt = torch.optim.Adam(model.parameters(), 1e-2)
for i in range(500):
    loss = nn.functional.mse_loss(model(X), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 100 == 0:
        print(i, loss.item())
