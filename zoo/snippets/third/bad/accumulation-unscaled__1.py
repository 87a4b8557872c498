import torch

ACCUM = 4


def fit(model, loader, opt, crit, epochs):
    for ep in range(epochs):
        opt.zero_grad()
        for i, (x, y) in enumerate(loader):
            loss = crit(model(x), y)
            loss.backward()
            if (i + 1) % ACCUM == 0 or i + 1 == len(loader):
                opt.step()
                opt.zero_grad()
