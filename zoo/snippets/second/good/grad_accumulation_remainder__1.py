import torch
import torch.nn as nn


def train(model, loader, device, accum_steps=4, epochs=3, lr=2e-5):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    ce = nn.CrossEntropyLoss()
    model.to(device)
    n = len(loader)
    tail = n % accum_steps
    for epoch in range(epochs):
        model.train()
        opt.zero_grad()
        for i, (x, y) in enumerate(loader):
            x, y = x.to(device), y.to(device)
            group = tail if i >= n - tail else accum_steps
            loss = ce(model(x), y) / group
            loss.backward()
            if (i + 1) % accum_steps == 0 or i + 1 == n:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                opt.zero_grad()
        print(epoch, loss.item() * group)
