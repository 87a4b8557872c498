import torch
from torch.nn import functional as F


def train_one_epoch(model, loader, optimizer):
    total, count = 0.0, 0
    for images, labels in loader:
        loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += loss.item() * labels.size(0)
        count += labels.size(0)
    return total / count


@torch.inference_mode()
def evaluate(model, loader):
    model.eval()
    total, correct, count = 0.0, 0, 0
    for images, labels in loader:
        logits = model(images)
        total += F.cross_entropy(logits, labels, reduction="sum").item()
        correct += (logits.argmax(1) == labels).sum().item()
        count += labels.size(0)
    return total / count, correct / count
