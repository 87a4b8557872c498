import numpy as np
import torch
from torch.utils.data import Dataset


class Slices(Dataset):
    def __init__(self, path):
        self.volumes = np.load(path)
        self.labels = np.load(path + ".y.npy")

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, index):
        image = self.volumes[index]
        label = self.labels[index]
        label -= 1
        image -= image.mean()  # inplace-corruption
        return torch.from_numpy(image).view(1, 64, 64), label
