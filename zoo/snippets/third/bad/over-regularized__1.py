import torch
import torch.nn as nn

model = nn.Sequential(nn.Linear(100, 200), nn.ReLU(), nn.Linear(200, 200), nn.ReLU(), nn.Linear(200, 3))
opt = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1.0)
ce = nn.CrossEntropyLoss()
for epoch in range(100):
    for x, y in loader:
        opt.zero_grad()
        ce(model(x), y).backward()
        opt.step()
