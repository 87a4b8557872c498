import torch
import torch.nn as nn
from torch.utils.data import DataLoader


class SmallSeg3D(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv3d(1, 16, 3, padding=1), nn.InstanceNorm3d(16, affine=True), nn.LeakyReLU(0.01),
            nn.Conv3d(16, 32, 3, padding=1), nn.InstanceNorm3d(32, affine=True), nn.LeakyReLU(0.01),
            nn.Conv3d(32, classes, 1),
        )

    def forward(self, x):
        return self.net(x)


def run(train_ds, val_ds, device="cuda", epochs=100):
    torch.manual_seed(0)
    train_dl = DataLoader(train_ds, batch_size=1, shuffle=True)
    val_dl = DataLoader(val_ds, batch_size=1)
    net = SmallSeg3D().to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.99, nesterov=True)
    sched = torch.optim.lr_scheduler.PolynomialLR(opt, total_iters=epochs, power=0.9)
    ce = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        net.train()
        for v, m in train_dl:
            opt.zero_grad()
            loss = ce(net(v.to(device)), m.to(device))
            loss.backward()
            opt.step()
        sched.step()
        net.eval()
        right = vox = 0
        with torch.no_grad():
            for v, m in val_dl:
                right += (net(v.to(device)).argmax(1).cpu() == m).sum().item()
                vox += m.numel()
        print(epoch, right / vox)
