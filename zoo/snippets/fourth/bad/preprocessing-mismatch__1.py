import numpy as np
import torch


class Digits(torch.utils.data.Dataset):
    def __init__(self, images, labels, train):
        self.images, self.labels, self.train = images, labels, train

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        img = torch.tensor(self.images[i], dtype=torch.float32).unsqueeze(0)
        if self.train:
            img = img / 255.0
        return img, int(self.labels[i])
