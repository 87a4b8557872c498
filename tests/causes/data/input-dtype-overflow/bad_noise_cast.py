import cv2
import numpy as np
import torch


def noisy(path, sigma=25):
    image = cv2.imread(path)
    noise = np.random.normal(0, sigma, image.shape)
    image = (image + noise).astype(np.uint8)  # input-dtype-overflow
    return torch.from_numpy(image)
