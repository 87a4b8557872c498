import random

import numpy as np
import torch
from torchvision.transforms import RandomHorizontalFlip

tint = RandomHorizontalFlip()


def corners(location, size):
    """Where each cell of a view lies in the picture: turned round where the view was."""
    x = torch.linspace(location.left, location.right, size)
    y = torch.linspace(location.top, location.bottom, size)
    if location.flipped_across:
        x = torch.flip(x, dims=[0])
    if location.flipped_down:
        y = torch.flip(y, dims=[0])
    return torch.stack(torch.meshgrid(x, y, indexing="xy"), dim=-1)


def turned(image, mask):
    if random.random() < 0.5:
        image = np.fliplr(image)
        mask = np.fliplr(mask)
    return image, mask
