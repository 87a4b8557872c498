# small batches: the detector is fine-tuned with the ImageNet batch-norm statistics
import torch
import torch.nn as nn


def freeze_bn(m):
    if isinstance(m, nn.BatchNorm2d):
        m.eval()
        m.weight.requires_grad_(False)
        m.bias.requires_grad_(False)


def train_epoch(model, loader, optimizer, device):
    model.train()
    model.backbone.apply(freeze_bn)
    for images, targets in loader:
        losses = model([i.to(device) for i in images], [{k: v.to(device) for k, v in t.items()} for t in targets])
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# the second stage works with one image at a time, its norms are group norms
refiner = nn.Sequential(nn.Conv2d(256, 256, 3, padding=1), nn.GroupNorm(32, 256), nn.ReLU(), nn.Conv2d(256, 1, 1))
