import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

torch.manual_seed(8)
X, y = load_diabetes(return_X_y=True)
a, b, ya, yb = train_test_split(X, y, random_state=8)
mu, sd = a.mean(0), a.std(0)
a, b = torch.tensor((a - mu) / sd).float(), torch.tensor((b - mu) / sd).float()
ya, yb = torch.tensor(ya).float(), torch.tensor(yb).float()


def corr(p, t):
    p, t = p - p.mean(), t - t.mean()
    return (p * t).sum() / (p.norm() * t.norm() + 1e-8)


net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-2)
for epoch in range(30):
    for k in torch.randperm(len(a)).split(82):
        loss = -corr(net(a[k]).flatten(), ya[k])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 6 == 5:
        print(epoch + 1, f"{loss.item():.4f}")
with torch.no_grad():
    print(f"test correlation {corr(net(b).flatten(), yb).item():.3f}")
