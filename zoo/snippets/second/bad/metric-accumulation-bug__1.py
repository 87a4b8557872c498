import torch
import torch.nn.functional as F


def evaluate(model, loader, device):
    model.eval()
    test_loss = 0.0
    correct = 0
    with torch.no_grad():
        for data, target in loader:
            data, target = data.to(device), target.to(device)
            output = model(data)
            test_loss += F.cross_entropy(output, target).item()
            correct += output.argmax(dim=1).eq(target).sum().item()
    test_loss /= len(loader.dataset)
    acc = 100.0 * correct / len(loader.dataset)
    print(f"\nVal set: Average loss: {test_loss:.4f}, Accuracy: {acc:.1f}%\n")
    return test_loss


def train(model, loader, optimizer, device, epoch):
    model.train()
    for i, (data, target) in enumerate(loader):
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
        if i % 50 == 0:
            print(f"{epoch} [{i}/{len(loader)}] {loss.item():.4f}")
