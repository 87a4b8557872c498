from torch.utils.data import DataLoader, Subset
from torchvision import datasets, transforms


def loaders(root, batch):
    data = datasets.ImageFolder(root, transform=transforms.ToTensor())
    cut = int(0.8 * len(data))
    train = Subset(data, range(cut))  # unstratified-split
    test = Subset(data, range(cut, len(data)))
    return DataLoader(train, batch, shuffle=True), DataLoader(test, batch)


train_loader, test_loader = loaders("mushrooms", 32)
