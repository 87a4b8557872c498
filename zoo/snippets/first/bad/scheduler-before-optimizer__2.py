import torch
import torch.nn as nn
from torch.optim.lr_scheduler import LambdaLR


def noam(d_model, warmup):
    def rate(step):
        step = max(step, 1)
        return d_model ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)
    return rate


def train_translation(model, batches, vocab, d_model=512, warmup=4000, max_steps=100_000):
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    scheduler = LambdaLR(optimizer, lr_lambda=noam(d_model, warmup))
    criterion = nn.CrossEntropyLoss(ignore_index=0, label_smoothing=0.1)
    model.train()
    for step, (src, tgt) in enumerate(batches, start=1):
        optimizer.zero_grad()
        logits = model(src, tgt[:, :-1])
        loss = criterion(logits.reshape(-1, vocab), tgt[:, 1:].reshape(-1))
        loss.backward()
        scheduler.step()
        optimizer.step()
        if step % 500 == 0:
            print(step, scheduler.get_last_lr()[0], loss.item())
        if step == max_steps:
            break
