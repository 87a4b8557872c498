import torch
import torch.nn as nn


class SRNet(nn.Module):
    """x2 super-resolution on luminance patches."""

    def __init__(self, ch=64):
        super(SRNet, self).__init__()
        self.conv1 = nn.Conv2d(1, ch, 5, padding=2)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)
        self.conv3 = nn.Conv2d(ch, ch // 2, 3, padding=1)
        self.conv4 = nn.Conv2d(ch // 2, 4, 3, padding=1)
        self.shuffle = nn.PixelShuffle(2)

    def forward(self, x):
        x = self.conv1(x)
        x = self.conv2(x)
        x = self.conv3(x)
        x = self.conv4(x)
        return self.shuffle(x)


def main(train_loader):
    net = SRNet().cuda()
    optimizer = torch.optim.Adam([
        {"params": net.conv1.parameters()},
        {"params": net.conv2.parameters()},
        {"params": net.conv3.parameters()},
        {"params": net.conv4.parameters(), "lr": 1e-4},
    ], lr=1e-3)
    for epoch in range(200):
        for low, high in train_loader:
            loss = nn.functional.mse_loss(net(low.cuda()), high.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
