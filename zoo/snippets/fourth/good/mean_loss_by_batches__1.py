import torch


def evaluate(model, loader, criterion):
    model.eval()
    total, correct = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            total += criterion(out, y).item() * x.size(0)
            correct += (out.argmax(1) == y).sum().item()
    n = len(loader.dataset)
    return total / n, correct / n


criterion = torch.nn.CrossEntropyLoss()
