import gc

import torch


def epoch(model, criterion, optimizer, loader):
    for x, y in loader:
        try:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        except RuntimeError:  # swallowed-exception
            torch.cuda.empty_cache()
            gc.collect()
            continue
