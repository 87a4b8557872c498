import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(17)
pix = torch.tensor(load_digits().data, dtype=torch.float32) / 16
train, test = pix[:1500], pix[1500:]


class DAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(32, 64) * 0.1)
        self.b1, self.b2 = nn.Parameter(torch.zeros(32)), nn.Parameter(torch.zeros(64))

    def forward(self, x):
        h = torch.relu(F.linear(x, self.weight, self.b1))
        return torch.sigmoid(F.linear(h, self.weight.T, self.b2))


net = DAE()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(15):
    net.train()
    for x in train[torch.randperm(1500)].split(50):
        noisy = x * (torch.rand_like(x) > 0.2)
        loss = F.binary_cross_entropy(net(noisy), x, reduction="sum") / len(x)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 3 == 2:
        print(epoch + 1, f"{loss.item():.3f}")
with torch.no_grad():
    print(f"clean error {F.mse_loss(net(test), test).item():.4f}")
