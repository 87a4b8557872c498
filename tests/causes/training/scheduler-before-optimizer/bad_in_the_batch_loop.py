import torch


class Runner:
    def __init__(self, net, loader):
        self.net, self.loader = net, loader
        self.opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, 1e-2, total_steps=len(loader))

    def run(self, loss_fn):
        for x, y in self.loader:
            self.opt.zero_grad()
            loss_fn(self.net(x), y).backward()
            self.sched.step()  # scheduler-before-optimizer
            self.opt.step()
