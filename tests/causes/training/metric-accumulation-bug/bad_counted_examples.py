import torch.nn as N
import torch.optim as optim


class Trainer:
    def __init__(self, model):
        self.model = model
        self.loss = N.SmoothL1Loss()
        self.opt = optim.SGD(model.parameters(), lr=0.1)

    def epoch(self, batches):
        total, seen = 0.0, 0
        for x, y in batches:
            loss = self.loss(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
            seen += x.size(0)
        return total / seen  # metric-accumulation-bug
