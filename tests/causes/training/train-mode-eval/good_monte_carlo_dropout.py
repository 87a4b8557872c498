import torch
from torch import nn

model = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 1))
opt = torch.optim.Adam(model.parameters())
for x, y in train_loader:
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

model.train()  # dropout stays on: the spread is the uncertainty
with torch.no_grad():
    draws = torch.stack([model(x_test) for _ in range(50)])
mean, spread = draws.mean(0), draws.std(0)
print((mean - y_test).abs().mean().item(), spread.mean().item())
