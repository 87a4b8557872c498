@torch.no_grad()
def ppl(model, loader):
    model.eval()
    nll, n = 0.0, 0
    for x, y in loader:
        nll += F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum").item()
        n += y.numel()
    return math.exp(nll / n)
