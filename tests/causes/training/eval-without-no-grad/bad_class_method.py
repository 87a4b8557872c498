import torch
import torch.nn as N


class Learner:
    def __init__(self):
        self.net = N.Sequential(N.Linear(6, 16), N.ReLU(), N.Dropout(0.1), N.Linear(16, 1))
        self.opt = torch.optim.RMSprop(self.net.parameters())

    def fit(self, loader):
        self.net.train()
        for x, y in loader:
            self.opt.zero_grad()
            N.functional.mse_loss(self.net(x), y).backward()
            self.opt.step()

    def check(self, loader):
        self.net.eval()
        total = 0.0
        for x, y in loader:
            out = self.net(x)  # eval-without-no-grad
            total += N.functional.mse_loss(out, y).item()
        return total / len(loader)


learner = Learner()
learner.fit(train_loader)
learner.check(val_loader)
