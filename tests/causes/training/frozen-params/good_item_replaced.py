import torch
import torch.nn as nn
from torchvision.models import efficientnet_b0

torch.manual_seed(0)
model = efficientnet_b0(weights="DEFAULT")
for param in model.parameters():
    param.requires_grad = False
model.classifier[1] = nn.Linear(1280, 5)
opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
model.train()
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
