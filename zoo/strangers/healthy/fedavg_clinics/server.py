import copy

import torch
import torch.nn.functional as F


class Server:
    """FedAvg with server momentum (FedAvgM)."""

    def __init__(self, model, momentum=0.5):
        self.model = model
        self.momentum = momentum
        self.velocity = {k: torch.zeros_like(v) for k, v in model.state_dict().items()}

    def aggregate(self, updates):
        total = sum(n for n, _ in updates)
        current = self.model.state_dict()
        fresh = {}
        for k in current:
            delta = sum((n / total) * (sd[k] - current[k]) for n, sd in updates)
            self.velocity[k] = self.momentum * self.velocity[k] + delta
            fresh[k] = current[k] + self.velocity[k]
        self.model.load_state_dict(fresh)


def local_update(global_model, X, y, epochs, lr, batch, gen):
    model = copy.deepcopy(global_model)
    model.train()
    opt = torch.optim.SGD(model.parameters(), lr=lr, weight_decay=1e-4)
    running, seen = 0.0, 0
    for _ in range(epochs):
        for idx in torch.randperm(len(X), generator=gen).split(batch):
            loss = F.binary_cross_entropy_with_logits(model(X[idx]).squeeze(1), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(idx)
            seen += len(idx)
    return model.state_dict(), running / seen
