"""A loss that is written for one example and mapped over the batch: its scores have one axis."""

from functools import partial

import torch
from torch import nn
from torch.func import functional_call, grad_and_value, vmap


def build(wide=16, kinds=4):
    return nn.Sequential(
        nn.Conv1d(3, wide, 3), nn.ReLU(), nn.AdaptiveMaxPool1d(4), nn.Flatten(), nn.Linear(4 * wide, kinds)
    )


def loss_of_one(net, params, x, kind):
    scores = functional_call(net, params, (x.unsqueeze(0),)).squeeze(0)
    return -torch.log_softmax(scores, dim=0).gather(0, kind.unsqueeze(0)).squeeze(0)


def mean_loss(net, params, x, kinds):
    return vmap(partial(loss_of_one, net, params))(x, kinds).mean()


def train(x, kinds, rate=0.1):
    net = build()
    params = {k: p.detach() for k, p in net.named_parameters()}
    for rows in torch.randperm(len(x)).split(32):
        slopes, _ = grad_and_value(lambda p: mean_loss(net, p, x[rows], kinds[rows]))(params)
        params = {k: p - rate * slopes[k] for k, p in params.items()}
    return params


train(torch.randn(320, 3, 12), torch.randint(4, (320,)))
