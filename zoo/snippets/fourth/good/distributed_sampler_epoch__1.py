import torch
from torch.utils.data import DataLoader, DistributedSampler


def loaders(train, val, bs):
    sampler = DistributedSampler(train)
    return DataLoader(train, bs, sampler=sampler), DataLoader(val, bs), sampler


def train(ddp, train_set, val_set, opt, crit, epochs):
    tl, vl, sampler = loaders(train_set, val_set, 64)
    for ep in range(epochs):
        sampler.set_epoch(ep)
        ddp.train()
        for x, y in tl:
            opt.zero_grad(set_to_none=True)
            crit(ddp(x), y).backward()
            opt.step()
