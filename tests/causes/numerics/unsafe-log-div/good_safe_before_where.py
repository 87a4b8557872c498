"""Safe before the operation, in all spellings: then `where` may choose what it likes."""

import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, items, dim, eps=1e-6):
        super().__init__()
        self.emb = nn.Embedding(items, dim)
        self.gain = nn.Linear(dim, dim)
        self.eps = eps

    def clamped(self, ids, mask):
        total = (self.emb(ids) * mask[..., None]).sum(1)
        count = mask.sum(1, keepdim=True)
        mean = total / count.clamp(min=1)
        return torch.where(count > 0, mean, torch.zeros_like(mean))

    def chosen_twice(self, ids, mask):
        total = (self.emb(ids) * mask[..., None]).sum(1)
        count = mask.sum(1, keepdim=True)
        safe = torch.where(count > 0, count, torch.ones_like(count))
        return torch.where(count > 0, total / safe, 0.0)

    def shifted(self, ids, mask):
        total = (self.emb(ids) * mask[..., None]).sum(1)
        count = mask.sum(1, keepdim=True) + self.eps
        return torch.where(count > 0.5, total / count, torch.zeros_like(total))

    def overwritten(self, ids, mask):
        total = (self.emb(ids) * mask[..., None]).sum(1)
        count = mask.sum(1, keepdim=True)
        empty = count == 0
        count[empty] = 1
        mean = total / count
        return mean.masked_fill(empty, 0)

    def clamped_in_place(self, ids, mask):
        total = (self.emb(ids) * mask[..., None]).sum(1)
        count = mask.sum(1, keepdim=True)
        nobody = count == 0
        count.clamp_(min=1)
        return (total / count).masked_fill(nobody, 0)

    def one_added(self, ids, mask, careful):
        total = (self.emb(ids) * mask[..., None]).sum(1)
        count = mask.sum(1, keepdim=True)
        mean = torch.where(count > 0, total / (count + (count == 0).float()), 0.0)
        size = mask.sum(1, keepdim=True)
        if careful:
            size = size.clamp(min=1)
        return torch.where(size > 0, total / size, mean)

    def above_closed(self, ids, mask):
        count = mask.sum(1, keepdim=True)
        total = torch.where(count > 0, (self.emb(ids) * mask[..., None]).sum(1), 0.0)
        return torch.where(count > 0, total / count, 0.0)

    def logged(self, x):
        rate = torch.relu(self.gain(x))
        log = torch.log(rate.clamp_min(self.eps))
        root = torch.sqrt(torch.maximum(rate, torch.tensor(1e-6)))
        cube = torch.where(rate > 0, rate**1.5, 0.0)
        return torch.where(rate > 0, log, 0.0) + torch.where(rate > 0, root, 0.0) + cube

    def stopped_by_relu(self, x):
        """Where relu is silent, its own backward selects too: nothing comes through."""
        rate = torch.relu(self.gain(x))
        root = torch.where(rate > 0, rate.rsqrt(), 0.0)
        share = torch.where(rate.sum(1, keepdim=True) > 0, rate / rate.sum(1, keepdim=True).sqrt(), 0.0)
        return root.clamp(max=10) + share

    def forward(self, ids, mask, x):
        pooled = self.clamped(ids, mask) + self.chosen_twice(ids, mask) + self.shifted(ids, mask)
        pooled = pooled + self.overwritten(ids, mask) + self.clamped_in_place(ids, mask)
        pooled = pooled + self.one_added(ids, mask, careful=True)
        return pooled + self.above_closed(ids, mask) + self.logged(x) + self.stopped_by_relu(x)


torch.manual_seed(0)
model = Pool(50, 8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
ids, x = torch.randint(0, 50, (64, 6)), torch.randn(64, 8)
mask = (torch.arange(6) < torch.randint(0, 7, (64, 1))).float()
for step in range(20):
    loss = model(ids, mask, x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
