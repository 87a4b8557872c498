import cv2
import numpy as np
import torch
from torch.utils.data import Dataset


class FlowPairs(Dataset):
    def __init__(self, paths, labels):
        self.paths, self.labels = paths, labels

    def __len__(self):
        return len(self.paths) - 1

    def __getitem__(self, i):
        a = cv2.imread(self.paths[i]).astype(np.float32)
        b = cv2.imread(self.paths[i + 1]).astype(np.float32)
        diff = (b - a) / 255.0
        mask = (np.abs(diff).mean(-1) > 0.1).astype(np.uint8) * 255
        mask = torch.from_numpy(mask).float() / 255.0
        x = torch.from_numpy(diff).permute(2, 0, 1).contiguous()
        return torch.cat([x, mask[None]]), self.labels[i]
