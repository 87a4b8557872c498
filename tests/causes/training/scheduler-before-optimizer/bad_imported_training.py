import torch
from train import train_one_epoch

opt = torch.optim.SGD(model.parameters(), lr=0.1)
sch = torch.optim.lr_scheduler.StepLR(opt, 10)
for epoch in range(100):
    sch.step()  # scheduler-before-optimizer
    train_one_epoch(model, loader, opt)
