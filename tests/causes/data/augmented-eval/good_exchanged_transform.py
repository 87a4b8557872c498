import copy

from torch.utils.data import random_split
from torchvision import transforms as T
from torchvision.datasets import CIFAR10

full = CIFAR10("d", train=True, transform=T.Compose([T.RandomCrop(32, 4), T.ToTensor()]))
train, val = random_split(full, [45000, 5000])
val.dataset = copy.copy(full)
val.dataset.transform = T.ToTensor()
test = CIFAR10("d", train=False, transform=T.ToTensor())
