import torch
import torch.nn as nn
from torch.utils.data import DataLoader

model = nn.Sequential(
    nn.Conv3d(1, 32, 3, padding=1), nn.InstanceNorm3d(32, affine=True), nn.LeakyReLU(0.01),
    nn.Conv3d(32, 32, 3, padding=1), nn.InstanceNorm3d(32, affine=True), nn.LeakyReLU(0.01),
    nn.Conv3d(32, 4, 1),
).cuda()
loader = DataLoader(volumes, batch_size=1, shuffle=True)
opt = torch.optim.SGD(model.parameters(), 1e-2, momentum=0.99, nesterov=True)
for epoch in range(100):
    model.train()
    for vol, seg in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(vol.cuda()), seg.cuda())
        loss.backward()
        opt.step()
