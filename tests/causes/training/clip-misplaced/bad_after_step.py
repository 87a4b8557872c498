from torch.nn.utils import clip_grad_value_ as clip


class Trainer:
    def __init__(self, model, optimizer, criterion):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion

    def fit(self, batches):
        for x, y in batches:
            self.optimizer.zero_grad()
            self.criterion(self.model(x), y).backward()
            self.optimizer.step()
            clip(self.model.parameters(), 0.5)  # clip-misplaced
