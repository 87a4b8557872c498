import torch
import torchvision
import torchvision.transforms as T
from torch.utils.data import DataLoader

CIFAR_MEAN, CIFAR_STD = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)


def get_loaders(root="./data", batch_size=128):
    train_transform = T.Compose([
        T.RandomCrop(32, padding=4),
        T.RandomHorizontalFlip(),
        T.ToTensor(),
        T.Normalize(CIFAR_MEAN, CIFAR_STD),
    ])
    test_transform = T.Compose([T.ToTensor()])
    train = torchvision.datasets.CIFAR10(root, train=True, download=True, transform=train_transform)
    test = torchvision.datasets.CIFAR10(root, train=False, download=True, transform=test_transform)
    return (DataLoader(train, batch_size, shuffle=True, num_workers=2),
            DataLoader(test, batch_size, shuffle=False, num_workers=2))


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    correct = total = 0
    for images, targets in loader:
        logits = model(images.to(device))
        correct += (logits.argmax(dim=1) == targets.to(device)).sum().item()
        total += targets.numel()
    return correct / total


def train_epoch(model, loader, optimizer, device):
    model.train()
    for images, targets in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(model(images.to(device)), targets.to(device))
        loss.backward()
        optimizer.step()
