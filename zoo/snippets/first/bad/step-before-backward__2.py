import torch


class RegressionEngine:
    def __init__(self, net, lr):
        self.net = net
        self.optim = torch.optim.RMSprop(net.parameters(), lr=lr)
        self.history = []

    def forward_pass(self, x, y):
        return torch.nn.functional.huber_loss(self.net(x), y)

    def backward_pass(self, loss):
        loss.backward()

    def update(self):
        self.optim.step()
        self.optim.zero_grad()

    def train_batch(self, x, y):
        loss = self.forward_pass(x, y)
        self.update()
        self.backward_pass(loss)
        self.history.append(loss.item())

    def fit(self, loader, epochs):
        self.net.train()
        for _ in range(epochs):
            for x, y in loader:
                self.train_batch(x, y)
