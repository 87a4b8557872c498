import torch
from torch.utils.data import DataLoader, random_split
from torchvision import transforms
from torchvision.datasets import ImageFolder

tf = transforms.Compose(
    [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()]
)
full = ImageFolder("plants", transform=tf)
n = int(0.8 * len(full))
train, val = random_split(full, [n, len(full) - n], torch.Generator().manual_seed(0))  # augmented-eval
train_loader = DataLoader(train, 32, shuffle=True)
val_loader = DataLoader(val, 64)
