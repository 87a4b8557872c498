import torch
import torch.nn.functional as F


def pgd(model, x, y, eps=8 / 255, step=2 / 255, iters=7):
    x_adv = x.detach() + torch.empty_like(x).uniform_(-eps, eps)
    x_adv = x_adv.clamp(0, 1)
    for _ in range(iters):
        x_adv.requires_grad_(True)
        loss = F.cross_entropy(model(x_adv), y)
        grad = torch.autograd.grad(loss, x_adv)[0]
        x_adv = x_adv.detach() + step * grad.sign()
        x_adv = torch.min(torch.max(x_adv, x - eps), x + eps).clamp(0, 1)
    return x_adv.detach()


def train_epoch(model, loader, opt, device):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        model.eval()
        x_adv = pgd(model, x, y)
        model.train()
        opt.zero_grad()
        loss = F.cross_entropy(model(x_adv), y)
        loss.backward()
        opt.step()


def robust_accuracy(model, loader, device):
    model.eval()
    ok = n = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        x_adv = pgd(model, x, y, iters=20)
        with torch.no_grad():
            ok += (model(x_adv).argmax(1) == y).sum().item()
        n += len(y)
    return ok / n
