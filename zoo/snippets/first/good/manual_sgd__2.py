import math
import torch
import torch.nn as nn


def repackage(h):
    return h.detach() if isinstance(h, torch.Tensor) else tuple(repackage(v) for v in h)


def train(model, data, criterion, lr, bptt, clip, ntokens, batch_size):
    model.train()
    total = 0.0
    hidden = model.init_hidden(batch_size)
    n = 0
    for i in range(0, data.size(0) - 1, bptt):
        seq = min(bptt, data.size(0) - 1 - i)
        x, y = data[i:i + seq], data[i + 1:i + 1 + seq].view(-1)
        model.zero_grad()
        hidden = repackage(hidden)
        out, hidden = model(x, hidden)
        loss = criterion(out.view(-1, ntokens), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)
        total += loss.item() * seq
        n += seq
    return math.exp(total / n)
