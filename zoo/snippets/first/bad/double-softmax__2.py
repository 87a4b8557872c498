import torch
import torch.nn as tnn
import torch.nn.functional as F


def block(cin, cout):
    return tnn.Sequential(
        tnn.Conv2d(cin, cout, 3, padding=1), tnn.BatchNorm2d(cout), tnn.ReLU(inplace=True),
        tnn.Conv2d(cout, cout, 3, padding=1), tnn.BatchNorm2d(cout), tnn.ReLU(inplace=True),
    )


class SmallUNet(tnn.Module):
    def __init__(self, ch=3):
        super(SmallUNet, self).__init__()
        self.d1, self.d2, self.mid = block(ch, 32), block(32, 64), block(64, 128)
        self.pool = tnn.MaxPool2d(2)
        self.up2 = tnn.ConvTranspose2d(128, 64, 2, stride=2)
        self.u2 = block(128, 64)
        self.up1 = tnn.ConvTranspose2d(64, 32, 2, stride=2)
        self.u1 = block(64, 32)
        self.head = tnn.Conv2d(32, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(self.pool(a))
        c = self.mid(self.pool(b))
        c = self.u2(torch.cat([self.up2(c), b], dim=1))
        c = self.u1(torch.cat([self.up1(c), a], dim=1))
        return torch.sigmoid(self.head(c))


def train_one_epoch(net, loader, optimizer, device):
    net.train()
    for img, mask in loader:
        img, mask = img.to(device), mask.to(device).float()
        prob = net(img)
        loss = F.binary_cross_entropy_with_logits(prob, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


net = SmallUNet().cuda()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)
for epoch in range(50):
    train_one_epoch(net, train_loader, optimizer, "cuda")
