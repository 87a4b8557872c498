import torch
import torch.nn.functional as F


def info_nce(a, b, temperature=0.1):
    a, b = F.normalize(a, dim=1), F.normalize(b, dim=1)
    similarity = torch.exp(a @ b.T / temperature)
    return -torch.log(similarity.diag() / similarity.sum(1)).mean()


def kernel_weights(x, centres, width):
    nearness = torch.exp(-torch.cdist(x, centres).pow(2) / width)
    return nearness / nearness.sum(1, keepdim=True)


def gaussian_kernel(radius, sigma):
    t = torch.arange(-radius, radius + 1).float()
    k = torch.exp(-(t**2) / (2 * sigma**2))
    return k / k.sum()
