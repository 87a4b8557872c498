import torch
from torch import nn

model = nn.Sequential(nn.Linear(5, 5), nn.Tanh(), nn.Linear(5, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)
for epoch in range(30):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()  # missing-step
    scheduler.step()
