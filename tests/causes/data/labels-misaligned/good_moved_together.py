"""Pictures and masks that are moved by one draw, and pictures that are views of each other."""

import random

import numpy as np
import torch
from torch.utils.data import Dataset


class RandomFlip:
    def __call__(self, plane):
        return plane.flip(-1) if random.random() < 0.5 else plane


def turned(image, mask):
    quarter = random.randint(0, 3)
    if random.random() < 0.5:
        image, mask = np.flip(image, -1), np.flip(mask, -1)
    return np.rot90(image, quarter).copy(), np.rot90(mask, quarter).copy()


class Organs(Dataset):
    def __init__(self, scans, masks):
        self.scans, self.masks, self.transform = scans, masks, RandomFlip()

    def __len__(self):
        return len(self.scans)

    def __getitem__(self, index):
        both = self.transform(torch.stack([self.scans[index], self.masks[index]]))
        return both[:1], both[1]


class SeededOrgans(Organs):
    def __getitem__(self, index):
        image, mask = self.scans[index], self.masks[index]
        state = random.getstate()
        image = self.transform(image)
        random.setstate(state)
        mask = self.transform(mask)
        return image, mask


class Views(Organs):
    def __getitem__(self, index):
        image = self.scans[index]
        return self.transform(image), self.transform(image)


class Pairs(Organs):
    def __getitem__(self, index):
        image, partner = self.scans[index], self.scans[index - 1]
        return self.transform(image), self.transform(partner)


class Noisy(Organs):
    def __getitem__(self, index):
        image, mask = self.scans[index].numpy(), self.masks[index].numpy()
        image, mask = turned(image, mask)
        if random.random() < 0.5:
            image = image + 0.1 * np.random.randn(*image.shape)
        return image, self.as_tensor(mask)

    def as_tensor(self, plane):
        return torch.from_numpy(plane)
