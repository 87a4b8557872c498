import torch
import torch.nn.functional as F


def contrast(a, b, temperature=0.01):
    a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
    near = torch.exp(a @ b.t() / temperature)
    share = near / near.sum(dim=1, keepdim=True)  # unstable-exp
    return -share.diagonal().mean()


def retrieve(query, keys):
    score = 100.0 * F.cosine_similarity(query.unsqueeze(1), keys, dim=-1)
    return score - torch.log(torch.exp(score).sum(-1, keepdim=True))  # unstable-exp
