"""Train a small fully connected network on the 8x8 handwritten digits."""

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 7


def make_loaders(batch_size=64):
    digits = load_digits()
    images = torch.tensor(digits.data, dtype=torch.float32)
    labels = torch.tensor(digits.target, dtype=torch.long)
    x_train, x_rest, y_train, y_rest = train_test_split(
        images, labels, test_size=0.3, stratify=labels, random_state=SEED
    )
    x_val, x_test, y_val, y_test = train_test_split(
        x_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=SEED
    )
    mean, std = x_train.mean(), x_train.std()
    train = TensorDataset((x_train - mean) / std, y_train)
    val = TensorDataset((x_val - mean) / std, y_val)
    test = TensorDataset((x_test - mean) / std, y_test)
    return (
        DataLoader(train, batch_size=batch_size, shuffle=True),
        DataLoader(val, batch_size=256),
        DataLoader(test, batch_size=256),
    )


class Trainer:
    def __init__(self, model, lr=0.05, momentum=0.9, weight_decay=1e-3):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(
            model.parameters(), lr=lr, momentum=momentum, weight_decay=weight_decay
        )

    def train_epoch(self, loader):
        self.model.train()
        total, seen = 0.0, 0
        for images, labels in loader:
            loss = self.criterion(self.model(images), labels)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(labels)
            seen += len(labels)
        return total / seen

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        total, correct, seen = 0.0, 0, 0
        for images, labels in loader:
            logits = self.model(images)
            total += self.criterion(logits, labels).item() * len(labels)
            correct += (logits.argmax(dim=1) == labels).sum().item()
            seen += len(labels)
        return total / seen, correct / seen

    def fit(self, train_loader, val_loader, epochs):
        for epoch in range(1, epochs + 1):
            train_loss = self.train_epoch(train_loader)
            val_loss, val_acc = self.evaluate(val_loader)
            if epoch % 5 == 0 or epoch == 1:
                print(
                    f"epoch {epoch:2d}  train loss {train_loss:.4f}  "
                    f"val loss {val_loss:.4f}  val acc {val_acc:.3f}"
                )


def main():
    torch.manual_seed(SEED)
    train_loader, val_loader, test_loader = make_loaders()
    model = nn.Sequential(
        nn.Linear(64, 64),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(64, 32),
        nn.ReLU(),
        nn.Linear(32, 10),
    )
    trainer = Trainer(model)
    trainer.fit(train_loader, val_loader, epochs=25)
    _, acc = trainer.evaluate(test_loader)
    print(f"test accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
