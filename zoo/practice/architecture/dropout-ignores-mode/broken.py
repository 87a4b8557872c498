import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(82)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin1 = nn.Linear(8, 64)
        self.lin2 = nn.Linear(64, 64)
        self.lin3 = nn.Linear(64, 1)

    def forward(self, x):
        x = F.relu(self.lin1(x))
        x = F.dropout(x, p=0.3)
        x = F.relu(self.lin2(x))
        return self.lin3(x).squeeze(-1)


X = torch.randn(1000, 8)
Y = X[:, 0] * X[:, 1] + torch.sin(X[:, 2]) + 0.1 * torch.randn(1000)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(20):
    net.train()
    for i in range(0, 800, 40):
        optimizer.zero_grad()
        loss = F.mse_loss(net(X[i:i + 40]), Y[i:i + 40])
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        val = F.mse_loss(net(X[800:]), Y[800:])
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} train {loss.item():.4f} val {val.item():.4f}")
with torch.no_grad():
    a, b = net(X[800:]), net(X[800:])
print(f"repeatability {torch.corrcoef(torch.stack([a, b]))[0, 1].item():.3f}")
