import numpy as np
import torch


def overlay(pred, mask):
    binary = (pred > 0.5).astype(np.uint8) * 255
    keep = 1 - mask.byte()
    both = keep + (pred > 0.9).byte()
    return binary, both


def to_picture(x):
    x = x.detach().cpu().numpy() * 255
    return x.round().clip(0, 255).astype(np.uint8)


print(torch.zeros(3, dtype=torch.uint8) + 1)
