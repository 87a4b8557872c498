import torch
import torch.nn as nn


def train(model, loader, steps, path, device="cuda"):
    model.to(device).train()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    it = iter(loader)
    try:
        for step in range(steps):
            try:
                x, y = next(it)
            except StopIteration:
                it = iter(loader)
                x, y = next(it)
            x, y = x.to(device), y.to(device)
            opt.zero_grad()
            try:
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
            except torch.cuda.OutOfMemoryError:
                print("out of memory at step", step, tuple(x.shape))
                raise
            opt.step()
            if step % 500 == 0:
                print(step, loss.item())
    except KeyboardInterrupt:
        print("interrupted, saving")
    torch.save({"model": model.state_dict(), "opt": opt.state_dict()}, path)
