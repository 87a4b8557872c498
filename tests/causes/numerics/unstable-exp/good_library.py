import torch
import torch.nn.functional as F


def losses(z, y, score, sign):
    logp = F.log_softmax(z, dim=-1)
    total = torch.logsumexp(z, dim=-1)
    soft = F.softplus(-sign * score)
    gate = torch.sigmoid(score)
    return -logp.gather(1, y.unsqueeze(1)).mean() + total.mean() + soft.mean() + gate.mean()
