import torch
from torch import nn
from torchvision.models import resnet50

backbone = resnet50()
backbone.load_state_dict(torch.load("moco_v2.pt")["state_dict"], strict=False)
backbone.requires_grad_(False)
pretrained = resnet50(weights="IMAGENET1K_V2")
for p in pretrained.parameters():
    p.requires_grad = False
head = nn.Linear(2048, 12)
