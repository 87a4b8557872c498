import torch
import torch.nn as nn


class ResBlock(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.c1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.c2 = nn.Conv2d(ch, ch, 3, padding=1)

    def forward(self, x):
        return x + self.c2(torch.relu(self.c1(x)))


class SRNet(nn.Module):
    """x2 super resolution"""

    def __init__(self, n_blocks=8, ch=64):
        super().__init__()
        self.head = nn.Conv2d(3, ch, 3, padding=1)
        self.blocks = []
        for _ in range(n_blocks):
            self.blocks.append(ResBlock(ch))
        self.tail = nn.Sequential(nn.Conv2d(ch, 12, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, x):
        x = self.head(x)
        for block in self.blocks:
            x = block(x)
        return self.tail(x)


model = SRNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
l1 = nn.L1Loss()
for it, (lr_img, hr_img) in enumerate(loader):
    sr = model(lr_img)
    loss = l1(sr, hr_img)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
