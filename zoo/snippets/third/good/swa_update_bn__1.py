import torch
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn


def train(model, loader, test_loader, epochs=100, swa_start=75):
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=swa_start)
    swa_model, swa_sched = AveragedModel(model), SWALR(opt, swa_lr=0.05)
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            opt.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            opt.step()
        if epoch > swa_start:
            swa_model.update_parameters(model)
            swa_sched.step()
        else:
            sched.step()
    update_bn(loader, swa_model)
    return swa_model
