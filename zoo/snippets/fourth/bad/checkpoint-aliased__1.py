import torch


def train(model, opt, crit, tr, va, epochs):
    best_model, best = None, -1.0
    for _ in range(epochs):
        for x, y in tr:
            opt.zero_grad()
            crit(model(x), y).backward()
            opt.step()
        acc = accuracy(model, va)
        if acc > best:
            best = acc
            best_model = model
    return best_model, best
