from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
import torch

torch.manual_seed(10)
X, y = load_diabetes(return_X_y=True, scaled=False)
Xa, Xb, ya, yb = train_test_split(X, y, random_state=10)
mu, sigma = Xa.mean(0), Xa.std(0)
Xa = torch.tensor((Xa - mu) / sigma).float()
Xb = torch.tensor((Xb - mu) / sigma).float()
m, s = ya.mean(), ya.std()
ya = torch.tensor((ya - m) / s).float()
yb = torch.tensor((yb - m) / s).float()


class Regressor(torch.nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.hidden = torch.nn.Linear(n_in, 20)
        self.out = torch.nn.Linear(20, 1)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


def squared_error(pred, target):
    diff = pred - target
    return (diff ** 2).mean()


reg = Regressor(Xa.shape[1])
opt = torch.optim.Adam(reg.parameters(), lr=0.01, weight_decay=1e-3)
for i in range(200):
    opt.zero_grad()
    l = squared_error(reg(Xa), ya)
    l.backward()
    opt.step()
    if i % 40 == 0:
        print(i, float(l))

with torch.no_grad():
    pred = reg(Xb).view(-1)
    r2 = 1 - ((pred - yb) ** 2).sum() / ((yb - yb.mean()) ** 2).sum()
print(f"R^2 on the test rows: {r2.item():.3f}")
