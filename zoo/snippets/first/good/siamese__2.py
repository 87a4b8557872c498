import torch
import torch.nn as nn


class Embedder(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(784, 256), nn.LayerNorm(256), nn.ReLU(), nn.Linear(256, dim))

    def forward(self, x):
        return nn.functional.normalize(self.net(x.flatten(1)), dim=1)


net = Embedder().cuda()
triplet = nn.TripletMarginLoss(margin=0.2)
opt = torch.optim.Adam(net.parameters(), lr=1e-4)
for epoch in range(20):
    for anchor, positive, negative in triplet_loader:
        loss = triplet(net(anchor.cuda()), net(positive.cuda()), net(negative.cuda()))
        opt.zero_grad()
        loss.backward()
        opt.step()
