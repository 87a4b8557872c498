import torch
from torch import nn


class BestKeeper:
    def __init__(self, model):
        self.model = model
        self.score = -1.0
        self.state = None

    def see(self, score):
        if score > self.score:
            self.score = score
            self.state = {k: v.detach().cpu().clone() for k, v in self.model.state_dict().items()}

    def restore(self):
        if self.state is not None:
            self.model.load_state_dict(self.state)


def train(model, train_dl, val_dl, epochs=10):
    keeper = BestKeeper(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for _ in range(epochs):
        model.train()
        for x, y in train_dl:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            hits = sum((model(x).argmax(1) == y).sum().item() for x, y in val_dl)
        keeper.see(hits / len(val_dl.dataset))
    keeper.restore()
    return model
