import torch.nn.functional as F


class Learner:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def train_step(self, x, y):
        prediction = self.model(x)
        loss = F.smooth_l1_loss(prediction, y)
        self.optimizer.step()  # step-before-backward
        self.optimizer.zero_grad()
        loss.backward()
        return loss.item()
