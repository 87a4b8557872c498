import cv2
import numpy as np
import torch
from PIL import Image


def load(first, second):
    a = cv2.imread(first).astype(np.float32)
    b = cv2.imread(second).astype(np.float32)
    motion = np.abs(b - a)
    pic = np.array(Image.open(first), dtype=np.float32) - 127.5
    return torch.from_numpy(motion), torch.from_numpy(pic)
