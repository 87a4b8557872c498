import torch.nn.functional as F


def epoch(model, optimizer, loader, accum):
    tokens = 0
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum")
        loss.backward()
        tokens += y.numel()
        if (i + 1) % accum == 0:
            for p in model.parameters():
                p.grad /= tokens
            optimizer.step()
            optimizer.zero_grad()
            tokens = 0
