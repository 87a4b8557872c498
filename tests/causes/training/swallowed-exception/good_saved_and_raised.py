import torch


def main(model, optimizer, criterion, loader):
    try:
        train(model, optimizer, criterion, loader)
    except Exception:
        torch.save(model.state_dict(), "crash.pt")
        raise


def train(model, optimizer, criterion, loader):
    iterator = iter(loader)
    while True:
        try:
            x, y = next(iterator)
        except StopIteration:
            break
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()


def perplexity(loss):
    try:
        return loss.exp().item()
    except OverflowError:
        return float("inf")
