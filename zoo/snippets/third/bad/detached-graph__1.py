import numpy as np
import torch
import torch.nn as nn


class GraphReadout(nn.Module):
    def __init__(self, d_in, d, n_out):
        super().__init__()
        self.embed = nn.Linear(d_in, d)
        self.cls = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, n_out))

    def forward(self, nodes, segments):
        h = torch.relu(self.embed(nodes))
        pooled = np.stack([h.detach().numpy()[segments == s].mean(0) for s in np.unique(segments)])
        return self.cls(torch.from_numpy(pooled))


net = GraphReadout(16, 64, 3)
opt = torch.optim.Adam(net.parameters(), 1e-3)
for nodes, segments, y in graphs:
    opt.zero_grad()
    nn.functional.cross_entropy(net(nodes, segments), y).backward()
    opt.step()
