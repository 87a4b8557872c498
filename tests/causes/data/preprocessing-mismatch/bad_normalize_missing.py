from torch.utils.data import DataLoader
from torchvision import datasets, transforms as T

train_tf = T.Compose(
    [T.RandomHorizontalFlip(), T.ToTensor(), T.Normalize((0.49, 0.48, 0.45), (0.25, 0.24, 0.26))]
)
test_tf = T.Compose([T.ToTensor()])  # preprocessing-mismatch
train_set = datasets.CIFAR10("data", train=True, transform=train_tf)
test_set = datasets.CIFAR10("data", train=False, transform=test_tf)
train_loader = DataLoader(train_set, batch_size=128, shuffle=True)
test_loader = DataLoader(test_set, batch_size=256)
