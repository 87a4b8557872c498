import torch
from torch import nn
from torchvision.models import resnet50

backbone = resnet50()  # weights-not-loaded
for p in backbone.parameters():
    p.requires_grad = False
backbone.fc = nn.Linear(2048, 12)
optimizer = torch.optim.Adam(backbone.fc.parameters(), lr=1e-3)
