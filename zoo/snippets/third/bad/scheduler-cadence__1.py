import torch


class Engine:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=5e-4)
        self.sched = torch.optim.lr_scheduler.MultiStepLR(self.opt, milestones=[60, 120, 160], gamma=0.2)
        self.ce = torch.nn.CrossEntropyLoss()

    def epoch(self, dl):
        self.model.train()
        for x, y in dl:
            self.opt.zero_grad()
            loss = self.ce(self.model(x), y)
            loss.backward()
            self.opt.step()
            self.sched.step()

    def fit(self, dl, epochs=200):
        for _ in range(epochs):
            self.epoch(dl)
