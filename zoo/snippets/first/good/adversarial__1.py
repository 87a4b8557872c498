import torch
import torch.nn.functional as F


def pgd(model, x, y, eps=8 / 255, step=2 / 255, iters=10):
    delta = torch.empty_like(x).uniform_(-eps, eps)
    for _ in range(iters):
        delta.requires_grad_(True)
        loss = F.cross_entropy(model((x + delta).clamp(0, 1)), y)
        g = torch.autograd.grad(loss, delta)[0]
        delta = (delta.detach() + step * g.sign()).clamp(-eps, eps)
    return (x + delta).clamp(0, 1).detach()


def robust_accuracy(model, loader, device):
    """Gradients with respect to the input are needed here."""
    model.eval()
    ok = n = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        adv = pgd(model, x, y)
        with torch.no_grad():
            ok += (model(adv).argmax(1) == y).sum().item()
        n += len(y)
    return ok / n


def adv_train_epoch(model, loader, opt, device):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        model.eval()
        adv = pgd(model, x, y)
        model.train()
        opt.zero_grad()
        F.cross_entropy(model(adv), y).backward()
        opt.step()
