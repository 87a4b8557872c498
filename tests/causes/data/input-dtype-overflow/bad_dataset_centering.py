import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


class Tiles(Dataset):
    def __init__(self, files, labels):
        self.files, self.labels = files, labels

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        img = np.array(Image.open(self.files[i]).convert("RGB").resize((64, 64)))
        img = (img - 128) / 128.0  # input-dtype-overflow
        return torch.tensor(img.transpose(2, 0, 1)).float(), self.labels[i]
