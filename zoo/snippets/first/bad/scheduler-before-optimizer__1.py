import torch
import torch.optim as optim
from torch.optim import lr_scheduler

from models import UNet
from losses import dice_ce

net = UNet(in_channels=1, n_classes=4).cuda()
optimizer = optim.Adam(net.parameters(), lr=1e-3)
scheduler = lr_scheduler.MultiStepLR(optimizer, milestones=[40, 70], gamma=0.1)

for epoch in range(100):
    scheduler.step()
    net.train()
    epoch_loss, n = 0.0, 0
    for img, gt in train_loader:
        img, gt = img.cuda(), gt.cuda()
        optimizer.zero_grad()
        loss = dice_ce(net(img), gt)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * img.size(0)
        n += img.size(0)
    print("epoch %d  lr %g  loss %.4f" % (epoch, optimizer.param_groups[0]["lr"], epoch_loss / n))
