import torch
import torch.nn as nn
import torch.nn.functional as F


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 32, 5), nn.GroupNorm(8, 32), nn.PReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 5), nn.GroupNorm(8, 64), nn.PReLU(), nn.MaxPool2d(2),
        )
        self.fc = nn.Linear(64 * 4 * 4, 64)

    def forward(self, x):
        return F.normalize(self.fc(self.conv(x).flatten(1)), dim=1)


def train(net, triplet_loader, epochs, device):
    net.to(device).train()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    crit = nn.TripletMarginLoss(margin=0.3)
    for epoch in range(epochs):
        run, n = 0.0, 0
        for anchor, pos, neg in triplet_loader:
            anchor, pos, neg = anchor.to(device), pos.to(device), neg.to(device)
            a, p, q = net(anchor), net(pos), net(neg)
            loss = crit(a, p, q)
            opt.zero_grad()
            loss.backward()
            opt.step()
            run += loss.item() * len(anchor)
            n += len(anchor)
        print(epoch, run / n)
