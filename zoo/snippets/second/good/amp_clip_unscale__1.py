import torch
from torch import nn
from torch.amp import GradScaler, autocast


class Trainer:
    def __init__(self, model, loader, lr=3e-4, clip=1.0, epochs=10):
        self.model = model.cuda()
        self.loader = loader
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(
            self.opt, max_lr=lr, steps_per_epoch=len(loader), epochs=epochs
        )
        self.scaler = GradScaler("cuda")
        self.clip = clip
        self.epochs = epochs
        self.loss = nn.CrossEntropyLoss()

    def step(self, x, y):
        self.opt.zero_grad(set_to_none=True)
        with autocast("cuda"):
            loss = self.loss(self.model(x), y)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.opt)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.scaler.step(self.opt)
        self.scaler.update()
        self.sched.step()
        return loss.detach()

    def run(self):
        for epoch in range(self.epochs):
            self.model.train()
            total = torch.zeros((), device="cuda")
            for x, y in self.loader:
                total += self.step(x.cuda(non_blocking=True), y.cuda(non_blocking=True))
            print(epoch, (total / len(self.loader)).item())
