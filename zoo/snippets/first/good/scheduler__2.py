import math
import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR


def warmup_cosine(optimizer, warmup, total):
    def f(step):
        if step < warmup:
            return (step + 1) / warmup
        t = (step - warmup) / max(1, total - warmup)
        return 0.5 * (1 + math.cos(math.pi * t))
    return LambdaLR(optimizer, f)


def pretrain(model, loader, epochs):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    sched = CosineAnnealingLR(opt, T_max=epochs * len(loader))
    for _ in range(epochs):
        for batch in loader:
            loss = model(batch)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()


def finetune(model, loader, epochs):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    sched = warmup_cosine(opt, warmup=len(loader), total=epochs * len(loader))
    for _ in range(epochs):
        for batch in loader:
            loss = model(batch)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
