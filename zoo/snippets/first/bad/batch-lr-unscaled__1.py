import torch
import torch.nn as nn
import torchvision

# ResNet-50 recipe from the paper
BASE = dict(batch_size=256, lr=0.1, momentum=0.9, weight_decay=1e-4, epochs=90)
# we have the big node until Friday
CFG = dict(BASE, batch_size=4096)


def main():
    torch.manual_seed(0)
    net = nn.DataParallel(torchvision.models.resnet50()).cuda()
    train_loader = torch.utils.data.DataLoader(
        imagenet_train, batch_size=CFG["batch_size"], shuffle=True, num_workers=32, pin_memory=True, drop_last=True)
    opt = torch.optim.SGD(net.parameters(), lr=CFG["lr"], momentum=CFG["momentum"], weight_decay=CFG["weight_decay"])
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, [30, 60, 80], 0.1)
    for epoch in range(CFG["epochs"]):
        net.train()
        for x, y in train_loader:
            loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()


main()
