import torch
from torchvision import datasets, models, transforms as T

augment = T.Compose([T.RandomCrop(64, padding=4), T.RandomHorizontalFlip(), T.ToTensor()])


def folder(base, part):
    return datasets.ImageFolder(f"{base}/{part}", augment)


def loaders(base):
    train = datasets.ImageFolder(f"{base}/train", augment)
    check = datasets.ImageFolder(f"{base}/val", augment)  # augmented-eval
    return (
        torch.utils.data.DataLoader(train, 32, shuffle=True),
        torch.utils.data.DataLoader(check, 32),
    )


def run(base):
    train, check = loaders(base)
    net = models.resnet18(num_classes=8)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for _ in range(30):
        net.train()
        for x, y in train:
            opt.zero_grad()
            torch.nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            print(sum((net(x).argmax(1) == y).sum().item() for x, y in check))
