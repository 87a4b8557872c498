import logging

import torch
from torch import nn

log = logging.getLogger(__name__)


def run(batches, epochs=5):
    if torch.cuda.is_available():
        device = torch.device("cuda")  # silent-cpu-fallback
    else:
        device = torch.device("cpu")
    log.info("training on %s", device)
    net = nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 2))
    opt = torch.optim.AdamW(net.parameters())
    for _ in range(epochs):
        for x, y in batches:
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
