import torch
import torch.nn as nn
from sklearn.datasets import load_digits


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(64, 32), nn.ReLU())
        self.classifier = nn.Linear(32, 10)

    def forward(self, x):
        return self.classifier(self.features(x))


class Session:
    def __init__(self, seed=0):
        torch.manual_seed(seed)
        d = load_digits()
        self.x = torch.tensor(d.data, dtype=torch.float32) / 16
        self.y = torch.tensor(d.target)
        self.model = Model()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05, momentum=0.9)

    def fit(self, target, steps):
        for k in range(steps):
            i = torch.randint(0, 1300, (32,))
            loss = nn.functional.cross_entropy(self.model(self.x[i]), target[i])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if (k + 1) % 100 == 0:
                print(f"  {k + 1}: {loss.item():.4f}")

    def swap_head(self, n):
        self.model.classifier = nn.Linear(32, n)
        self.model.features.requires_grad_(False)

    def accuracy(self, target):
        with torch.no_grad():
            return (self.model(self.x[1300:]).argmax(1) == target[1300:]).float().mean().item()


s = Session(36)
print("digits")
s.fit(s.y, 300)
s.swap_head(2)
print("parity")
s.fit(s.y % 2, 300)
print(f"parity accuracy {s.accuracy(s.y % 2):.3f}")
