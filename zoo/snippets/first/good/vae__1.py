import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 400)
        self.mu, self.lv = nn.Linear(400, 20), nn.Linear(400, 20)
        self.fc3, self.fc4 = nn.Linear(20, 400), nn.Linear(400, 784)

    def forward(self, x):
        h = F.relu(self.fc1(x.view(-1, 784)))
        mu, lv = self.mu(h), self.lv(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * lv)
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, lv


def elbo(recon, x, mu, lv):
    bce = F.binary_cross_entropy(recon, x.view(-1, 784), reduction="sum")
    kld = -0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp())
    return bce + kld


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(1, 11):
    model.train()
    total = 0
    for data, _ in train_loader:
        optimizer.zero_grad()
        recon, mu, lv = model(data)
        loss = elbo(recon, data, mu, lv)
        loss.backward()
        total += loss.item()
        optimizer.step()
    print(f"epoch {epoch}: {total / len(train_loader.dataset):.4f}")
