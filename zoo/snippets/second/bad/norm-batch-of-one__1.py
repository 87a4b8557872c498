import torch
import torch.nn as nn
from torch.utils.data import DataLoader


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv3d(cin, cout, 3, padding=1),
        nn.BatchNorm3d(cout),
        nn.ReLU(inplace=True),
        nn.Conv3d(cout, cout, 3, padding=1),
        nn.BatchNorm3d(cout),
        nn.ReLU(inplace=True),
    )


class VNetSmall(nn.Module):
    def __init__(self, n_classes=4):
        super().__init__()
        self.down1 = conv_block(1, 16)
        self.down2 = conv_block(16, 32)
        self.pool = nn.MaxPool3d(2)
        self.up = nn.ConvTranspose3d(32, 16, 2, stride=2)
        self.dec = conv_block(32, 16)
        self.out = nn.Conv3d(16, n_classes, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        return self.out(self.dec(torch.cat([self.up(b), a], 1)))


# volumes are large, 1 fits on the card
loader = DataLoader(BraTSDataset("train"), batch_size=1, shuffle=True, num_workers=4)
model = VNetSmall().cuda()
opt = torch.optim.Adam(model.parameters(), lr=1e-4)
criterion = nn.CrossEntropyLoss()

for epoch in range(100):
    model.train()
    for vol, seg in loader:
        vol, seg = vol.cuda(), seg.cuda()
        opt.zero_grad()
        loss = criterion(model(vol), seg)
        loss.backward()
        opt.step()
