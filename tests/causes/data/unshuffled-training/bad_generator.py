"""Spectra of five minerals, measured one mineral after the other; a generator cuts the batches."""

import torch
import torch.nn.functional as F
from torch import nn


def pieces(spectra, minerals, size):
    for first in range(0, len(spectra), size):
        yield spectra[first : first + size].float(), minerals[first : first + size]  # unshuffled-training


kinds = []
for mineral in range(5):
    kinds.append(torch.full((300,), mineral))
kinds = torch.cat(kinds)
spectra = torch.load("spectra.pt")
net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 5))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(10):
    for number, (rows, wanted) in enumerate(pieces(spectra, kinds, 20)):
        loss = F.cross_entropy(net(rows), wanted)
        opt.zero_grad()
        loss.backward()
        opt.step()
