import torch
import torch.nn as nn
import torch.nn.functional as F


def smoothness(flow):
    dx = (flow[..., 1:] - flow[..., :-1]).abs().mean()
    dy = (flow[..., 1:, :] - flow[..., :-1, :]).abs().mean()
    return dx + dy


def train_flow(net, pairs, lam=0.1, lr=1e-4):
    optim = torch.optim.AdamW(net.parameters(), lr=lr)
    for a, b, gt in pairs:
        flow = net(torch.cat([a, b], 1))
        epe = F.l1_loss(flow, gt)
        reg = torch.tensor(smoothness(flow).item(), requires_grad=True)
        loss = epe + lam * reg
        optim.zero_grad()
        loss.backward()
        optim.step()
