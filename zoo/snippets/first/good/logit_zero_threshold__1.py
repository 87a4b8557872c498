import torch
import torch.nn as nn

loss_fn = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([3.0]))


def train_step(net, opt, x, y):
    net.train()
    opt.zero_grad()
    loss = loss_fn(net(x).squeeze(-1), y.float())
    loss.backward()
    opt.step()
    return loss.item()


@torch.no_grad()
def accuracy(net, loader):
    net.eval()
    ok = n = 0
    for x, y in loader:
        # logit > 0 is probability > 0.5
        pred = net(x).squeeze(-1) > 0
        ok += (pred == y.bool()).sum().item()
        n += y.numel()
    return ok / n


@torch.no_grad()
def predict_proba(net, x):
    net.eval()
    p = torch.sigmoid(net(x)).squeeze(-1)
    return (p > 0.5).int(), p
