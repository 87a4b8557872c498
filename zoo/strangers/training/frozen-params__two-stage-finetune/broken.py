# Transfer learning in two stages:
#   0. pretrain a small CNN on an easy task (is the digit 5 or more?)
#   1. new head for the 10 classes, backbone frozen
#   2. unfreeze the backbone and fine-tune everything
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(123)
np.random.seed(123)

X, y = load_digits(return_X_y=True)
X = (X.reshape(-1, 1, 8, 8) / 16.0).astype("float32")
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.2, random_state=123, stratify=y)
mean, std = X_train.mean(), X_train.std()
X_train = torch.tensor((X_train - mean) / std)
X_test = torch.tensor((X_test - mean) / std)
y_train = torch.tensor(y_train)
y_test = torch.tensor(y_test)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(64, 16), nn.ReLU(),
        )

    def forward(self, x):
        return self.layers(x)


class Classifier(nn.Module):
    def __init__(self, backbone, n_classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(16, n_classes)

    def forward(self, x):
        return self.head(self.backbone(x))


criterion = nn.CrossEntropyLoss()


def train(model, X, y, epochs, lr, title):
    loader = DataLoader(TensorDataset(X, y), batch_size=32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    model.train()
    for epoch in range(epochs):
        total = 0.0
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(xb)
        if epoch % 5 == 4:
            print(f"{title} epoch {epoch + 1} loss {total / len(X):.4f}")


def accuracy(model, X, y):
    model.eval()
    with torch.no_grad():
        return (model(X).argmax(1) == y).float().mean().item()


# stage 0
backbone = Backbone()
train(Classifier(backbone, 2), X_train, (y_train >= 5).long(), 10, 2e-3, "pretrain")

# stage 1
model = Classifier(backbone, 10)
for p in model.backbone.parameters():
    p.requires_grad = False
train(model, X_train, y_train, 15, 5e-3, "head    ")

# stage 2
model.backbone.requires_grad = True
train(model, X_train, y_train, 20, 1e-3, "finetune")

print(f"test accuracy after fine-tuning: {accuracy(model, X_test, y_test):.4f}")
