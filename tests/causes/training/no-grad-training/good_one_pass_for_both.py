import torch
from torch import nn


class Learner:
    def __init__(self, model, train_dl, valid_dl):
        self.model, self.train_dl, self.valid_dl = model, train_dl, valid_dl
        self.loss_func = nn.CrossEntropyLoss()
        self.opt = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def one_batch(self, batch):
        self.xb, self.yb = batch
        self.preds = self.model(self.xb)
        self.loss = self.loss_func(self.preds, self.yb)
        if self.model.training:
            self.loss.backward()
            self.opt.step()
            self.opt.zero_grad()

    def one_epoch(self, train):
        self.model.train(train)
        with torch.set_grad_enabled(train):
            for batch in self.train_dl if train else self.valid_dl:
                self.one_batch(batch)

    def fit(self, epochs):
        for _ in range(epochs):
            self.one_epoch(True)
            self.one_epoch(False)


Learner(nn.Linear(8, 3), train_dl, valid_dl).fit(5)
