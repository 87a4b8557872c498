import torch
import torchvision
import torchvision.transforms as transforms
from torch.utils.data import DataLoader, random_split


def build(batch_size, root="./data"):
    aug = transforms.Compose([
        transforms.RandomRotation(15),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
    ])
    full = torchvision.datasets.EuroSAT(root, transform=aug, download=True)
    n_val = len(full) // 5
    g = torch.Generator().manual_seed(0)
    train_set, val_set = random_split(full, [len(full) - n_val, n_val], generator=g)
    train_loader = DataLoader(train_set, batch_size=batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=batch_size)
    return train_loader, val_loader
