import random

from PIL import Image
from torch.utils.data import Dataset
from torchvision import transforms


class Pairs(Dataset):
    def __init__(self, rows):
        self.rows = rows
        # One draw below decides for both; the flip itself always happens.
        self.train_transforms = transforms.Compose([transforms.RandomHorizontalFlip(1.0)])
        self.to_tensor = transforms.ToTensor()

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        img, gt = (Image.open(path) for path in self.rows[index])
        if random.random() < 0.5:
            img = self.train_transforms(img)
            gt = self.train_transforms(gt)
        return self.to_tensor(img), self.to_tensor(gt)
