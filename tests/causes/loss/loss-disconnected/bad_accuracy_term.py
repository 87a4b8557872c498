import torch
import torch.nn.functional as F


def train(model, loader, optimizer, args):
    for step, (x, y) in enumerate(loader):
        out = model(x)
        hits = (out.argmax(1) == y).float().mean()  # loss-disconnected
        ce = F.cross_entropy(out, y)
        loss = ce - 0.5 * hits
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
