import torch
import torch.nn as nn


def fit(model, loader, epochs, max_lr, device):
    opt = torch.optim.SGD(model.parameters(), lr=max_lr / 25, momentum=0.9)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr, epochs=epochs, steps_per_epoch=len(loader))
    lossf = nn.CrossEntropyLoss()
    lrs = []
    for ep in range(epochs):
        model.train()
        for xb, yb in loader:
            opt.zero_grad()
            lossf(model(xb.to(device)), yb.to(device)).backward()
            nn.utils.clip_grad_value_(model.parameters(), 0.1)
            opt.step()
            lrs.append(opt.param_groups[0]["lr"])
            sched.step()
    return lrs
