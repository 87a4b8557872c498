import torch
import torch.nn.functional as F


def run_epoch(net, opt, loader):
    net.train()
    for x, y in loader:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()


def main(model, train_loader, score):
    optimizer = torch.optim.Adam(model.parameters())
    best = None
    lowest = float("inf")
    for epoch in range(10):
        run_epoch(model, optimizer, train_loader)
        value = score(model)
        if value < lowest:
            lowest, best = value, model  # checkpoint-aliased
    return best
