import cv2
import numpy as np
import torch


def average(paths):
    frames = [cv2.imread(path) for path in paths]
    total = np.zeros_like(frames[0], dtype=np.float32)
    brightest = np.zeros_like(frames[0])
    for frame in frames:
        total += frame
        brightest = np.maximum(brightest, frame)
    return torch.from_numpy(total / len(frames)).float(), torch.from_numpy(brightest)
