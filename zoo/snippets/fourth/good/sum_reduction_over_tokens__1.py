import torch
import torch.nn.functional as F


def loss_fn(logits, targets, pad):
    loss = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad, reduction="sum")
    return loss / (targets != pad).sum()


def evaluate(model, loader, pad):
    model.eval()
    nll, tokens = 0.0, 0
    with torch.inference_mode():
        for x, y in loader:
            nll += F.cross_entropy(model(x).transpose(1, 2), y, ignore_index=pad, reduction="sum").item()
            tokens += (y != pad).sum().item()
    return nll / tokens
