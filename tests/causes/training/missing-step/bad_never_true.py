import torch


def train(model, loss_fn, loader, accum=4):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        (loss_fn(model(x), y) / accum).backward()
        if i % accum == accum:
            opt.step()  # missing-step
            opt.zero_grad()
