import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
weights = list(model.parameters())
x = torch.randn(128, 3)
y = x.sum(1, keepdim=True)
for step in range(200):
    loss = nn.functional.mse_loss(model(x), y)
    slopes = torch.autograd.grad(loss, weights)
    for weight, slope in zip(weights, slopes):
        weight.data.add_(slope, alpha=0.05)  # loss-sign-flipped
