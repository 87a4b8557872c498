import torch
import torch.nn.functional as F


def train_epoch(model, loader, optimizer, accum, device):
    model.train()
    n = len(loader)
    full = (n // accum) * accum
    optimizer.zero_grad(set_to_none=True)
    for i, (x, y) in enumerate(loader):
        # the last group may be shorter
        group = accum if i < full else n - full
        loss = F.cross_entropy(model(x.to(device)), y.to(device)) / group
        loss.backward()
        if (i + 1) % accum == 0 or i + 1 == n:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
