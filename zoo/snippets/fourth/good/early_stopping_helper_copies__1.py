import copy
import torch


class EarlyStopping:
    def __init__(self, patience=5):
        self.patience, self.best, self.count, self.state = patience, float("inf"), 0, None

    def __call__(self, loss, model):
        if loss < self.best:
            self.best, self.count = loss, 0
            self.state = {k: v.detach().clone() for k, v in model.state_dict().items()}
        else:
            self.count += 1
        return self.count > self.patience


def train(model, opt, crit, tr, va):
    stop = EarlyStopping()
    for epoch in range(100):
        model.train()
        for x, y in tr:
            opt.zero_grad()
            crit(model(x), y).backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            loss = sum(crit(model(x), y).item() for x, y in va) / len(va)
        if stop(loss, model):
            break
    model.load_state_dict(stop.state)
