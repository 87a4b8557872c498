import torch


@torch.no_grad()
def train_epoch(model, loader, opt, crit):
    model.train()
    for x, y in loader:
        loss = crit(model(x), y)
        loss.requires_grad = True
        opt.zero_grad()
        loss.backward()
        opt.step()
