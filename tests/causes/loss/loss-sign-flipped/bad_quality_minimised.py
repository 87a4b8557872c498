import torch
from torch import nn


def si_snr(estimate, clean, eps=1e-8):
    estimate, clean = estimate - estimate.mean(-1, keepdim=True), clean - clean.mean(-1, keepdim=True)
    target = (estimate * clean).sum(-1, keepdim=True) * clean / (clean.pow(2).sum(-1, keepdim=True) + eps)
    noise = estimate - target
    return 10 * torch.log10(target.pow(2).sum(-1) / (noise.pow(2).sum(-1) + eps) + eps)


class Trainer:
    def __init__(self, net, loader):
        self.net, self.loader = net, loader
        self.optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    def epoch(self):
        for noisy, clean in self.loader:
            loss = si_snr(self.net(noisy), clean).mean()  # loss-sign-flipped
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


net = nn.Conv1d(1, 1, 9, padding=4)
Trainer(net, [(torch.randn(4, 1, 100), torch.randn(4, 1, 100))]).epoch()
