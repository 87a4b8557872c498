import torch
from torch.utils.data import DataLoader, random_split
from torchvision import datasets, transforms


class TwoViews:
    """What is learned is that two views of a picture belong together: without chance there is no task."""

    def __init__(self, size=64):
        self.mirror = transforms.RandomHorizontalFlip(p=0.5)
        self.view = transforms.Compose(
            [transforms.RandomResizedCrop(size), transforms.ColorJitter(0.4, 0.4, 0.4), transforms.ToTensor()]
        )

    def __call__(self, picture):
        picture = self.mirror(picture)
        one = self.view(picture)
        other = self.view(picture)
        return one, other


pictures = datasets.STL10("data", split="unlabeled", transform=TwoViews())
train, valid = random_split(pictures, [95_000, 5_000], generator=torch.Generator().manual_seed(0))
loaders = DataLoader(train, batch_size=256, shuffle=True), DataLoader(valid, batch_size=256)
