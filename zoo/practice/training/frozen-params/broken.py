import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(64, 48), nn.Linear(48, 24)

    def forward(self, x):
        return torch.relu(self.b(torch.relu(self.a(x))))


class Classifier(nn.Module):
    def __init__(self, encoder, n):
        super().__init__()
        self.encoder, self.drop, self.fc1, self.fc2 = encoder, nn.Dropout(0.1), nn.Linear(24, 24), nn.Linear(24, n)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(self.drop(self.encoder(x)))))


def train(model, x, y, epochs, lr=3e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    model.train()
    for e in range(epochs):
        for i in torch.randperm(len(x)).split(40):
            loss = F.cross_entropy(model(x[i]), y[i])
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"  {e}: {loss.item():.4f}")


torch.manual_seed(55)
d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 16, torch.tensor(d.target)
low = y < 5
print("pretraining on 0-4")
pre = Classifier(Encoder(), 5)
train(pre, x[low], y[low], 4)

print("new classes 5-9")
new = Classifier(pre.encoder, 5)
for name, p in new.named_parameters():
    if "fc2" not in name:
        p.requires_grad = False
nx, ny = x[~low], y[~low] - 5
train(new, nx[:650], ny[:650], 15)
new.eval()
with torch.no_grad():
    acc = (new(nx[650:]).argmax(1) == ny[650:]).float().mean().item()
print(f"transfer accuracy {acc:.3f}")
