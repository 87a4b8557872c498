from pathlib import Path
import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


class Pairs(Dataset):
    def __init__(self, root, train=True):
        self.images = sorted(Path(root, "img").glob("*.jpg"))
        self.masks = [Path(root, "mask", p.stem + ".png") for p in self.images]
        self.train = train

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        img = np.asarray(Image.open(self.images[i]).convert("RGB"), dtype=np.float32) / 255
        mask = np.asarray(Image.open(self.masks[i]), dtype=np.int64)
        if self.train and torch.rand(()) < 0.5:
            img, mask = img[:, ::-1].copy(), mask[:, ::-1].copy()
        return torch.from_numpy(img).permute(2, 0, 1), torch.from_numpy(mask)
