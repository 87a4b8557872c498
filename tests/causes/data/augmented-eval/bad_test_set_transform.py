import torchvision.transforms.v2 as v2
from torch.utils.data import DataLoader
from torchvision import datasets


def loaders(batch):
    augment = v2.Compose([v2.RandomCrop(32, padding=4), v2.RandomHorizontalFlip(), v2.ToTensor()])
    train = datasets.CIFAR100("d", train=True, transform=augment)
    test = datasets.CIFAR100("d", train=False, transform=augment)  # augmented-eval
    return DataLoader(train, batch, shuffle=True), DataLoader(test, batch)


train_loader, test_loader = loaders(64)
