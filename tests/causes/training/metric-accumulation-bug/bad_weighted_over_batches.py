import torch
import torch.nn.functional as F


@torch.no_grad()
def judge(net, loader):
    net.eval()
    loss_sum = 0.0
    share = 0.0
    for x, y in loader:
        out = net(x)
        loss_sum += len(y) * F.cross_entropy(out, y).item()
        share += (out.argmax(1) == y).float().mean().item()
    loss = loss_sum / len(loader)  # metric-accumulation-bug
    return loss, share / len(loader.dataset)  # metric-accumulation-bug
