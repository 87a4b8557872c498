# shapes: circle / square / triangle / cross, 16x16 grey images
# one "folder" per class, read one after the other
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader

CLASSES = ["circle", "cross", "square", "triangle"]


def draw(name, rng):
    img = np.zeros((16, 16), dtype=np.float32)
    yy, xx = np.mgrid[0:16, 0:16]
    cx, cy = rng.integers(6, 10, 2)
    r = rng.integers(3, 6)
    if name == "circle":
        d = np.sqrt((xx - cx) ** 2 + (yy - cy) ** 2)
        img[np.abs(d - r) < 0.8] = 1
    elif name == "square":
        d = np.maximum(np.abs(xx - cx), np.abs(yy - cy))
        img[d == r] = 1
    elif name == "triangle":
        h = yy - (cy - r)
        edge = np.abs(np.abs(xx - cx) - h / 2) < 0.8
        img[edge & (h >= 0) & (h <= 2 * r)] = 1
        img[(h == 2 * r) & (np.abs(xx - cx) <= r)] = 1
    else:
        img[(np.abs(xx - cx) <= r) & (yy == cy)] = 1
        img[(np.abs(yy - cy) <= r) & (xx == cx)] = 1
    return img + 0.35 * rng.standard_normal((16, 16)).astype(np.float32)


class ShapeFolder(Dataset):
    def __init__(self, per_class, seed):
        rng = np.random.default_rng(seed)
        self.samples = []
        for label, name in enumerate(CLASSES):
            for _ in range(per_class):
                self.samples.append((draw(name, rng), label))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        img, label = self.samples[i]
        img = (img - 0.1) / 0.45
        return torch.from_numpy(img).unsqueeze(0), label


def main():
    torch.manual_seed(0)
    np.random.seed(0)

    train_set = ShapeFolder(400, seed=1)
    test_set = ShapeFolder(100, seed=2)
    train_loader = DataLoader(train_set, batch_size=32)
    test_loader = DataLoader(test_set, batch_size=100)

    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 4 * 4, 32), nn.ReLU(),
        nn.Linear(32, len(CLASSES)),
    )
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    for epoch in range(12):
        model.train()
        total = 0.0
        for images, labels in train_loader:
            optimizer.zero_grad()
            loss = loss_fn(model(images), labels)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
        print(f"epoch {epoch + 1:2d}: loss = {total / len(train_set):.4f}")

    model.eval()
    correct = 0
    per_class = torch.zeros(len(CLASSES))
    with torch.no_grad():
        for images, labels in test_loader:
            hit = model(images).argmax(1) == labels
            correct += hit.sum().item()
            for c in range(len(CLASSES)):
                per_class[c] += hit[labels == c].sum()
    print("per class:", dict(zip(CLASSES, (per_class / 100).tolist())))
    print(f"test accuracy: {correct / len(test_set):.3f}")


if __name__ == "__main__":
    main()
