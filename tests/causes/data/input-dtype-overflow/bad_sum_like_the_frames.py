import cv2
import numpy as np
import torch


def average(paths):
    frames = [cv2.imread(path) for path in paths]
    total = np.zeros_like(frames[0])
    for frame in frames:
        total += frame  # input-dtype-overflow
    return torch.from_numpy(total / len(frames)).float()
