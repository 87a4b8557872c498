import torch.nn.functional as F
class T:
    def fit(self, loader):
        self.total = 0
        for x, y in loader:
            self.opt.zero_grad()
            loss = F.mse_loss(self.model(x), y)
            loss.backward()
            self.opt.step()
            self.total += loss  # loss-not-reset
