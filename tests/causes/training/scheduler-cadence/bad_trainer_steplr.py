import torch.optim as optim


class Trainer:
    def __init__(self, model, criterion, loader, epochs=60):
        self.model, self.criterion, self.loader, self.epochs = model, criterion, loader, epochs
        self.optimizer = optim.Adam(model.parameters(), lr=1e-3)
        self.scheduler = optim.lr_scheduler.MultiStepLR(self.optimizer, milestones=[30, 45], gamma=0.1)

    def train_one_epoch(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            self.criterion(self.model(x), y).backward()
            self.optimizer.step()
            self.scheduler.step()  # scheduler-cadence

    def fit(self):
        for _ in range(self.epochs):
            self.train_one_epoch()


Trainer(net, loss_fn, train_loader).fit()
