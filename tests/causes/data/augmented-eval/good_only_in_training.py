import torch
from torch import nn
from torchvision import datasets, transforms as T


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
        self.augment = nn.Sequential(T.RandomRotation(10), T.RandomErasing())

    def forward(self, x):
        if self.training:
            x = self.augment(x) + 0.1 * torch.randn_like(x)
        return self.net(x)


class Pairs(torch.utils.data.Dataset):
    """Each item is matched with a partner drawn at random, also for testing."""

    def __init__(self, base):
        self.base = base

    def __getitem__(self, i):
        j = torch.randint(len(self.base), ()).item()
        return self.base[i][0], self.base[j][0], self.base[i][1] == self.base[j][1]


test = Pairs(datasets.MNIST("d", train=False, transform=T.ToTensor()))
flip = datasets.MNIST("d", train=False, transform=T.Compose([T.RandomHorizontalFlip(p=0.0), T.ToTensor()]))
