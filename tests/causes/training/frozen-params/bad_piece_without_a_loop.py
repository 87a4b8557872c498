"""The piece ends where the loop would begin: what the optimizer is given can already be told."""

import torch
from torch import nn
from torchvision.models import densenet121

net = densenet121(weights="DEFAULT")
net.classifier = nn.Sequential(nn.Linear(1024, 256), nn.ReLU(), nn.Linear(256, 3))
net.requires_grad_(False)  # frozen-params
trainer = torch.optim.AdamW(net.parameters(), lr=3e-4, weight_decay=0.01)
