import torch


def sigmoid_ce(logits, target):
    p = torch.exp(logits) / (1 + torch.exp(logits))
    return -(target * torch.log(p + 1e-7) + (1 - target) * torch.log(1 - p + 1e-7)).mean()
