from torchvision import datasets, transforms as T


def transform(train, size=32):
    steps = [T.Resize(size), T.ToTensor(), T.Normalize((0.5,), (0.5,))]
    if train:
        steps.insert(0, T.RandomRotation(10))
    return T.Compose(steps)


train = datasets.MNIST("d", train=True, transform=transform(True))
test = datasets.MNIST("d", train=False, transform=transform(False))
shown = datasets.FashionMNIST("d", train=False, transform=T.ToTensor())
