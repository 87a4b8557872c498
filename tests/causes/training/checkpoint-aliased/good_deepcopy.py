import copy

import torch
from torch import nn

model = nn.Linear(10, 2)
opt = torch.optim.Adam(model.parameters())
best_loss, best_state = float("inf"), None
for epoch in range(40):
    for x, y in train_loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
    val = evaluate(model, val_loader)
    if val < best_loss:
        best_loss = val
        best_state = copy.deepcopy(model.state_dict())
model.load_state_dict(best_state)
test(model)
