import torch
import torch.nn as nn
from torch.utils.data import DataLoader

torch.manual_seed(0)


def conv_bn(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv_bn(1, 64), *[conv_bn(64, 64) for _ in range(8)], nn.Conv2d(64, 1, 3, padding=1))

    def forward(self, x):
        return x - self.body(x)


# slices have different sizes, so no stacking
train_loader = DataLoader(ct_slices, batch_size=1, shuffle=True)
model = Denoiser().cuda()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(30):
    model.train()
    for noisy, clean in train_loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(noisy.cuda()), clean.cuda())
        loss.backward()
        opt.step()
