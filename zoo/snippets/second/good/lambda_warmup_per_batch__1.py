import math
import torch
import torch.nn as nn


def schedule(warmup, total):
    def f(step):
        if step < warmup:
            return (step + 1) / warmup
        p = (step - warmup) / max(1, total - warmup)
        return 0.5 * (1 + math.cos(math.pi * p))
    return f


def train_vit(vit, loader, epochs=100, lr=1e-3, device="cuda"):
    vit.to(device)
    decay = [p for p in vit.parameters() if p.ndim > 1]
    plain = [p for p in vit.parameters() if p.ndim <= 1]
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0}], lr=lr)
    total = epochs * len(loader)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, schedule(5 * len(loader), total))
    ce = nn.CrossEntropyLoss(label_smoothing=0.1)
    for epoch in range(epochs):
        vit.train()
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = ce(vit(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(vit.parameters(), 1.0)
            opt.step()
            sched.step()
