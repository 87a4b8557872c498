import torch


def prune(model, optimizer, batches, keep):
    """The lowest are looked for, and padding is to be among them."""
    for tokens, mask, y in batches:
        optimizer.zero_grad()
        scores = model.importance(tokens)
        loss = torch.nn.functional.cross_entropy(model(tokens), y)
        loss.backward()
        optimizer.step()
        masked = scores.masked_fill(~mask, float("-inf"))
        order = masked.argsort(dim=1)
        tokens = tokens.gather(1, order[:, -keep:])
    return tokens


def drop_lowest(model, optimizer, batches, count):
    for tokens, mask, y in batches:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(tokens), y).backward()
        optimizer.step()
        scores = model.importance(tokens).masked_fill(~mask, float("-inf"))
        dropped = scores.argsort(dim=1)[:, :count]
        tokens = tokens.scatter(1, dropped, 0)
    return tokens
