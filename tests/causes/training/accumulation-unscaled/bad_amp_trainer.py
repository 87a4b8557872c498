import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, net, cfg):
        self.net, self.cfg = net, cfg
        self.opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
        self.scaler = torch.cuda.amp.GradScaler()

    def epoch(self, loader):
        for step, (x, y) in enumerate(loader, 1):
            with torch.cuda.amp.autocast():
                loss = F.cross_entropy(self.net(x), y)
            self.scaler.scale(loss).backward()  # accumulation-unscaled
            if step % self.cfg.accumulate == 0 or step == len(loader):
                self.scaler.step(self.opt)
                self.scaler.update()
                self.opt.zero_grad(set_to_none=True)
