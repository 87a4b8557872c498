"""Scans and outlines of organs: each is turned by a draw of its own."""

import random

import numpy as np
import torch
from torch.utils.data import Dataset


def jittered(plane):
    if random.random() < 0.5:
        plane = np.flip(plane, axis=-1)
    return np.rot90(plane, random.randint(0, 3)).copy()


class Organs(Dataset):
    def __init__(self, scans, outlines, augment):
        self.scans, self.outlines, self.augment = scans, outlines, augment

    def __len__(self):
        return len(self.scans)

    def __getitem__(self, index):
        scan, mask = self.scans[index], self.outlines[index]
        if self.augment:
            scan = jittered(scan)
            mask = jittered(mask)  # labels-misaligned
        return torch.as_tensor(scan)[None], torch.as_tensor(mask).long()


class Streets(Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        img, label_map = self.samples[index]
        if random.random() < 0.5:
            img = torch.flip(img, dims=[-1])
        if random.random() < 0.5:
            label_map = torch.flip(label_map, dims=[-1])  # labels-misaligned
        return img, label_map


class Handed(Dataset):
    """Its transform comes from outside; the file has one that draws."""

    def __init__(self, pairs, transform):
        self.pairs, self.transform = pairs, transform

    def __getitem__(self, index):
        image, mask = self.pairs[index]
        return self.transform(image), self.transform(mask)  # labels-misaligned


class RandomTurn:
    def __call__(self, plane):
        return torch.rot90(plane, random.randint(0, 3))
