import torch
import torch.nn.functional as F


def fisher(model, loader):
    model.eval()
    total = {name: torch.zeros_like(p) for name, p in model.named_parameters()}
    for x, y in loader:
        model.zero_grad()
        F.nll_loss(model(x).log_softmax(1), y).backward()
        for name, p in model.named_parameters():
            total[name] += p.grad.detach() ** 2
    return total


def saliency(model, images, labels):
    for image, label in zip(images, labels):
        image.requires_grad_()
        model.zero_grad()
        model(image[None])[0, label].backward()
        yield image.grad.abs()
