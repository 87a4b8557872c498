import torch
from torch.cuda.amp import GradScaler, autocast


class Runner:
    def __init__(self, net, loader, epochs, max_lr=3e-3):
        self.net, self.loader, self.epochs = net.cuda(), loader, epochs
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=max_lr, weight_decay=0.05)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(
            self.opt, max_lr=max_lr, epochs=epochs, steps_per_epoch=len(loader))
        self.scaler = GradScaler()
        self.lossf = torch.nn.CrossEntropyLoss(label_smoothing=0.1)

    def one_batch(self, x, y):
        self.opt.zero_grad()
        with autocast():
            loss = self.lossf(self.net(x), y)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.opt)
        self.scaler.update()
        return loss.item()

    def run(self):
        for ep in range(self.epochs):
            self.net.train()
            for x, y in self.loader:
                loss = self.one_batch(x.cuda(), y.cuda())
            self.sched.step()
            print(ep, loss)
