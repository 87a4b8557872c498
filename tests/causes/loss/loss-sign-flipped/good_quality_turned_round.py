import torch
from pytorch_msssim import ssim


def psnr(a, b):
    return -10 * torch.log10((a - b).pow(2).mean())


def dice(p, y):
    return 1 - 2 * (p * y).sum() / (p.sum() + y.sum() + 1e-6)


def train(net, optimizer, loader):
    for x, y in loader:
        out = net(x)
        loss = 1 - ssim(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(psnr(out, y).mean().item(), ssim(out, y).mean().item())


def train_masks(net, optimizer, loader):
    for x, y in loader:
        loss = dice(net(x).sigmoid(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        best = ssim_loss(net(x), y).mean()
        best.backward()
