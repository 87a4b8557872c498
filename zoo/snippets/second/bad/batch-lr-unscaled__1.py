"""ResNet-50 / ImageNet.  Reference recipe: lr 0.1 with batch size 256, 90 epochs."""
import torch
import torch.nn as nn
from torchvision import models

BASE_BATCH = 256
BATCH_SIZE = 4096  # was 256, we now have the big node
LR = 0.1
EPOCHS = 90


def main(train_set):
    torch.manual_seed(2)
    loader = torch.utils.data.DataLoader(
        train_set, batch_size=BATCH_SIZE, shuffle=True, num_workers=32, pin_memory=True, drop_last=True
    )
    model = nn.DataParallel(models.resnet50()).cuda()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    for epoch in range(EPOCHS):
        model.train()
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
        print(epoch, loss.item(), scheduler.get_last_lr())
