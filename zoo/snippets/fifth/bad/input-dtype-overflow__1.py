import cv2
import numpy as np
import torch
from torch.utils.data import Dataset

class FrameDiff(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths) - 1

    def __getitem__(self, i):
        prev = cv2.imread(self.paths[i])
        cur = cv2.imread(self.paths[i + 1])
        diff = cur - prev
        diff = cv2.resize(diff, (64, 64))
        return torch.from_numpy(diff).permute(2, 0, 1).float() / 255.
