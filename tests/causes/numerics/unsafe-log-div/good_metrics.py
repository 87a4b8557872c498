import torch
import torch.nn.functional as F


@torch.no_grad()
def report(model, loader, classes):
    inter = torch.zeros(classes)
    union = torch.zeros(classes)
    uncertain = 0.0
    for x, y in loader:
        p = F.softmax(model(x), dim=1)
        uncertain += -(p * p.log()).sum(1).mean().item()
        hot, guess = F.one_hot(y, classes), F.one_hot(p.argmax(1), classes)
        inter += (hot * guess).sum(0)
        union += (hot | guess).sum(0)
    return inter / union, uncertain / len(loader)
