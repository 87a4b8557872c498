import torch, torch.nn as nn


def step_fn(model, opt, x, y):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    for p in model.parameters():
        p.grad = None  # zero-grad-after-backward
    opt.step()


model = nn.Linear(1, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    step_fn(model, opt, x, y)
