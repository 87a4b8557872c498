import torch


class Runner:
    def __init__(self, model, opt, crit, device):
        self.model, self.opt, self.crit, self.device = model, opt, crit, device

    def run_epoch(self, loader):
        self.model.train()
        running = 0.0
        for i, batch in enumerate(loader):
            x, y = (t.to(self.device) for t in batch)
            self.opt.zero_grad()
            loss = self.crit(self.model(x), y)
            loss.backward()
            self.opt.step()
            running += loss
            if i % 50 == 0:
                print(i, running / (i + 1))
        return running / len(loader)
