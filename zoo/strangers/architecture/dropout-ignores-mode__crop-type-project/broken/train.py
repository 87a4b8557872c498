"""Course project: crop type classification from spectral bands."""
import torch
import torch.nn as nn

from data import get_loaders
from model import CropNet

SEED = 17
EPOCHS = 30
BATCH_SIZE = 64
LR = 1e-3


def run_epoch(model, loader, criterion, optimizer=None):
    training = optimizer is not None
    model.train(training)
    total_loss, correct, count = 0.0, 0, 0
    with torch.set_grad_enabled(training):
        for x, y in loader:
            logits = model(x)
            loss = criterion(logits, y)
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total_loss += loss.item() * y.size(0)
            correct += (logits.argmax(dim=1) == y).sum().item()
            count += y.size(0)
    return total_loss / count, correct / count


def main():
    torch.manual_seed(SEED)
    train_loader, val_loader, test_loader = get_loaders(BATCH_SIZE, SEED)

    model = CropNet()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=LR)

    for epoch in range(1, EPOCHS + 1):
        train_loss, train_acc = run_epoch(model, train_loader, criterion, optimizer)
        val_loss, val_acc = run_epoch(model, val_loader, criterion)
        print(f"{epoch:2d}/{EPOCHS}  train loss {train_loss:.4f} acc {train_acc:.3f}"
              f"  |  val loss {val_loss:.4f} acc {val_acc:.3f}")

    _, test_acc = run_epoch(model, test_loader, criterion)
    print(f"test accuracy: {test_acc:.4f}")


if __name__ == "__main__":
    main()
