import torch


class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader
        self.head = torch.nn.Linear(8, 2)
        self.optimizer = torch.optim.Adam([*model.parameters(), *self.head.parameters()])
        self.norms = []

    def log_gradients(self):
        self.head.register_full_backward_hook(lambda m, gi, go: self.norms.append(go[0].norm().item()))

    def fit(self, epochs):
        for epoch in range(epochs):
            self.log_gradients()  # throughput-decay
            for x, y in self.loader:
                self.optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(self.head(self.model(x)), y)
                loss.backward()
                self.optimizer.step()
