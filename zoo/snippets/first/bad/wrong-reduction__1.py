import torch
import torch.nn as nn
import torchvision
from torch.utils.data import DataLoader

cfg = {"lr": 0.1, "momentum": 0.9, "wd": 5e-4, "batch": 256, "epochs": 60}

torch.manual_seed(0)
tf = torchvision.transforms.Compose([
    torchvision.transforms.ToTensor(),
    torchvision.transforms.Normalize((0.4377, 0.4438, 0.4728), (0.198, 0.201, 0.197)),
])
svhn = torchvision.datasets.SVHN("data", split="train", download=True, transform=tf)
loader = DataLoader(svhn, batch_size=cfg["batch"], shuffle=True, num_workers=4, drop_last=True)

net = torchvision.models.resnet18(num_classes=10).cuda()
criterion = nn.CrossEntropyLoss(reduction="sum")
opt = torch.optim.SGD(net.parameters(), lr=cfg["lr"], momentum=cfg["momentum"], weight_decay=cfg["wd"])
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg["epochs"])

for epoch in range(cfg["epochs"]):
    for x, y in loader:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        loss = criterion(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    print(epoch, loss.item())
