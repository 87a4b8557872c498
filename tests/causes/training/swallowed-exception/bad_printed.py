class Trainer:
    def __init__(self, model, optimizer, criterion):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion

    def fit(self, loader):
        for i, (x, y) in enumerate(loader):
            try:
                self.optimizer.zero_grad()
                self.criterion(self.model(x), y).backward()
                self.optimizer.step()
            except (RuntimeError, ValueError) as error:  # swallowed-exception
                print("skipping batch", i, error)
