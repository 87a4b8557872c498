import torch
import torch.nn as nn
import torch.nn.functional as F


def pairwise_dist(e):
    sq = (e.unsqueeze(0) - e.unsqueeze(1)).pow(2).sum(-1)
    return torch.sqrt(sq)


def batch_hard_triplet(e, labels, margin=0.2):
    d = pairwise_dist(e)
    same = labels.unsqueeze(0) == labels.unsqueeze(1)
    pos = (d * same.float()).max(dim=1).values
    neg = (d + 1e6 * same.float()).min(dim=1).values
    return F.relu(pos - neg + margin).mean()


embedder = nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 64))
opt = torch.optim.Adam(embedder.parameters(), lr=1e-4)
for step in range(5000):
    feats, pid = next(pk_batches)
    loss = batch_hard_triplet(embedder(feats), pid)
    opt.zero_grad()
    loss.backward()
    opt.step()
