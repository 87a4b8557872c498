import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters())
for x, y in loader:
    optimizer.zero_grad()
    preds = model(x).argmax(dim=1).float()  # loss-disconnected
    loss = F.mse_loss(preds, y.float())
    loss.requires_grad_()
    loss.backward()
    optimizer.step()
