import torch
import torch.nn.functional as F


@torch.inference_mode()
def evaluate(net, loader):
    net.eval()
    return sum((net(x).argmax(1) == y).sum().item() for x, y in loader)


def validate(net, loader):
    net.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += F.cross_entropy(net(x), y).item()
    return total / len(loader)
