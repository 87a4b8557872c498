import torch
from grads import compute_gradients

opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    compute_gradients(loss, model)
    opt.step()
    opt.zero_grad()
    penalty(model).backward()
