import torch
from torchvision import datasets, transforms as T

raw = datasets.CIFAR10("d", train=True, transform=T.ToTensor())
mean = torch.stack([x.mean((1, 2)) for x, _ in raw]).mean(0)
std = torch.stack([x.std((1, 2)) for x, _ in raw]).mean(0)
tf = T.Compose([T.ToTensor(), T.Normalize(mean, std)])
train = datasets.CIFAR10("d", train=True, transform=tf)
test = datasets.CIFAR10("d", train=False, transform=T.Compose([T.ToTensor(), T.Normalize(mean, std)]))
