import torch


def neighbours(encoder, batches, optimizer, k=5):
    for x, y in batches:
        optimizer.zero_grad()
        z = encoder(x)
        apart = torch.cdist(z, z)
        same = y[:, None] == y[None]
        loss = apart[same].mean() + (1 - apart[~same]).clamp(min=0).mean()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        apart = torch.cdist(encoder(x), encoder(x))
        apart.fill_diagonal_(float("inf"))
        masked = apart.masked_fill(y[:, None] < 0, 1e9)
        nearest = masked.argsort(dim=1)[:, :k]
        return (y[nearest] == y[:, None]).float().mean(), masked.topk(k, largest=False)
