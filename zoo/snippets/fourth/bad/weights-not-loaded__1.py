import torch
import torch.nn as nn
from net import Backbone

backbone = Backbone()
state = torch.load("pretrained_backbone.pth", map_location="cpu")
model = nn.Sequential(backbone, nn.Linear(512, 6))
opt = torch.optim.Adam(model.parameters(), lr=1e-4)
for x, y in dl:
    opt.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.step()
