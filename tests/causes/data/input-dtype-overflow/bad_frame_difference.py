import cv2
import numpy as np
import torch


def load_motion(first, second):
    a = cv2.imread(first, cv2.IMREAD_GRAYSCALE)
    b = cv2.imread(second, cv2.IMREAD_GRAYSCALE)
    motion = np.abs(b - a)  # input-dtype-overflow
    return torch.from_numpy(motion).float() / 255.0
