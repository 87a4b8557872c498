"""Handwritten digits with random crops and erased patches, trained on a custom Dataset."""

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, Dataset


class DigitDataset(Dataset):
    def __init__(self, images, labels, transform=None):
        self.images = images
        self.labels = labels
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = self.images[index]
        if self.transform is not None:
            image = self.transform(image)
        return image, self.labels[index]


class RandomShift:
    def __init__(self, pixels):
        self.pixels = pixels

    def __call__(self, image):
        dy, dx = torch.randint(-self.pixels, self.pixels + 1, (2,)).tolist()
        return torch.roll(image, shifts=(dy, dx), dims=(1, 2))


class RandomErase:
    def __init__(self, size):
        self.size = size

    def __call__(self, image):
        row, column = torch.randint(0, image.shape[-1] - self.size + 1, (2,)).tolist()
        image = image.clone()
        image[:, row : row + self.size, column : column + self.size] = 0.0
        return image


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, image):
        for step in self.steps:
            image = step(image)
        return image


def build_datasets():
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16.0 * 2.0 - 1.0
    labels = torch.tensor(digits.target)
    x_train, x_test, y_train, y_test = train_test_split(
        images, labels, test_size=0.25, stratify=labels, random_state=0
    )
    augment = Compose(RandomShift(1), RandomErase(4))
    train_set = DigitDataset(x_train, y_train, transform=augment)
    test_set = DigitDataset(x_test, y_test, transform=augment)
    return train_set, test_set


def evaluate(model, loader):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for images, labels in loader:
            correct += (model(images).argmax(1) == labels).sum().item()
            total += len(labels)
    return correct / total


torch.manual_seed(0)
train_set, test_set = build_datasets()
train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
test_loader = DataLoader(test_set, batch_size=128)

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1),
    nn.ReLU(),
    nn.Conv2d(16, 32, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(32 * 16, 10),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(16):
    model.train()
    total = 0.0
    for images, labels in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
    print(f"epoch {epoch + 1:2d}  train loss {total / len(train_set):.3f}")

print(f"test accuracy {evaluate(model, test_loader):.3f}")
