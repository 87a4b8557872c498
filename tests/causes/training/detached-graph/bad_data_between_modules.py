import itertools

import torch
import torch.nn.functional as F
from torch import nn

embed = nn.Embedding(1000, 32)
gru = nn.GRU(32, 64, batch_first=True)
readout = nn.Linear(64, 1000)
optimizer = torch.optim.Adam(
    itertools.chain(embed.parameters(), gru.parameters(), readout.parameters()), lr=1e-3
)

for tokens in stream:
    outputs, _ = gru(embed(tokens[:, :-1]))
    features = outputs.data  # detached-graph
    logits = readout(features)
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
