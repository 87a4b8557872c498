import cv2
import numpy as np
import torch


def changed_pixels(first, second, threshold=0.1):
    before = cv2.imread(first).astype(np.float32) / 255.0
    after = cv2.imread(second).astype(np.float32) / 255.0
    moved = (np.abs(after - before).max(axis=-1) > threshold).astype(np.uint8) * 255
    return torch.from_numpy(moved).float() / 255.0
