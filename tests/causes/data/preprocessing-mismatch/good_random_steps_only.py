from torchvision import datasets, transforms

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
norm = transforms.Normalize(MEAN, STD)
train = datasets.ImageFolder(
    "birds/train",
    transform=transforms.Compose(
        [transforms.RandomResizedCrop(224), transforms.ColorJitter(0.2), transforms.ToTensor(), norm]
    ),
)
val = datasets.ImageFolder(
    "birds/val",
    transform=transforms.Compose(
        [transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor(), norm]
    ),
)
