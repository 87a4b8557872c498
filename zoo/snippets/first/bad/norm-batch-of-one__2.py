import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class VNetBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv3d(cin, cout, 3, padding=1)
        self.norm = nn.BatchNorm3d(cout)
        self.act = nn.PReLU(cout)

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class TinyVNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.a, self.b = VNetBlock(1, 16), VNetBlock(16, 16)
        self.head = nn.Conv3d(16, classes, 1)

    def forward(self, x):
        return self.head(self.b(self.a(x)))


class LiverTrainer:
    def __init__(self, dataset: Dataset, accumulate: int = 4):
        self.loader = DataLoader(dataset, shuffle=True, num_workers=2)
        self.net = TinyVNet().cuda()
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        self.accumulate = accumulate

    def epoch(self):
        self.net.train()
        self.opt.zero_grad()
        n = len(self.loader)
        for i, (vol, seg) in enumerate(self.loader, 1):
            loss = nn.functional.cross_entropy(self.net(vol.cuda()), seg.cuda())
            (loss / self.accumulate).backward()
            if i % self.accumulate == 0 or i == n:
                self.opt.step()
                self.opt.zero_grad()
