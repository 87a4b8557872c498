import torch
from torchvision import datasets, transforms as T

train_tf = T.Compose([
    T.RandomResizedCrop(224),
    T.RandomHorizontalFlip(),
    T.ToTensor(),
    T.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
])
valid_tf = T.Compose([
    T.Resize(256),
    T.CenterCrop(224),
    T.ToTensor(),
    T.Normalize([0.5, 0.5, 0.5], [0.5, 0.5, 0.5]),
])


def get_loaders(root, bs=64):
    tr = datasets.ImageFolder(f"{root}/train", transform=train_tf)
    va = datasets.ImageFolder(f"{root}/val", transform=valid_tf)
    return (
        torch.utils.data.DataLoader(tr, bs, shuffle=True, num_workers=8),
        torch.utils.data.DataLoader(va, bs, num_workers=8),
    )
