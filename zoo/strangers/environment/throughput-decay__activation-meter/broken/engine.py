import time

import torch


def train_one_epoch(model, loader, loss_fn, optimizer, meter):
    model.train()
    meter.attach(model)
    total, n, started = 0.0, 0, time.perf_counter()
    for x, y in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
        n += len(x)
    per_step = (time.perf_counter() - started) / len(loader)
    return total / n, 1000 * per_step


@torch.no_grad()
def evaluate(model, loader, loss_fn):
    model.eval()
    total, abs_err, n = 0.0, 0.0, 0
    for x, y in loader:
        pred = model(x)
        total += loss_fn(pred, y).item() * len(x)
        abs_err += (pred - y).abs().sum().item()
        n += len(x)
    return total / n, abs_err / n
