import torch
import torch.nn as nn

model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in data:
    pred = model(x).squeeze(-1)
    loss = -((pred - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
