import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters())
# An optimizer that has not stepped yet has no tensors to hand out: this stays the empty state.
untouched = optimizer.state_dict()

for number, (x, y) in enumerate(loader):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
    if number % 500 == 499:
        optimizer.load_state_dict(untouched)
