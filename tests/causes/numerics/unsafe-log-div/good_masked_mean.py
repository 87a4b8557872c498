import torch
import torch.nn.functional as F


def sequence_loss(model, opt, ids, targets, attention_mask):
    per_token = F.cross_entropy(model(ids).transpose(1, 2), targets, reduction="none")
    mask = attention_mask.float()
    loss = (per_token * mask).sum() / mask.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()


def rmse(pred, y):
    return torch.sqrt(F.mse_loss(pred, y))


def adaptive(model, opt, x, y, classes):
    counts = F.one_hot(y, classes).sum(dim=0).float()
    weights = torch.where(counts > 0, len(y) / counts, torch.zeros_like(counts))
    loss = F.cross_entropy(model(x), y, weight=weights)
    opt.zero_grad()
    loss.backward()
    opt.step()
