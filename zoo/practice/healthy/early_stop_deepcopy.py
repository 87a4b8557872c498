import copy
import torch
from torch import nn
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.state = patience, float("inf"), 0, None

    def __call__(self, value, model):
        if value < self.best:
            self.best, self.bad, self.state = value, 0, copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.patience


torch.manual_seed(22)
X, y = load_diabetes(return_X_y=True)
Xa, Xv, ya, yv = train_test_split(X, y, test_size=0.25, random_state=22)
xs, ys = StandardScaler().fit(Xa), StandardScaler().fit(ya[:, None])
f = lambda X, y: (torch.tensor(xs.transform(X)).float(), torch.tensor(ys.transform(y[:, None])).float())
(Xa, ya), (Xv, yv) = f(Xa, ya), f(Xv, yv)
net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
stop = EarlyStopping(patience=8)
for epoch in range(100):
    net.train()
    for k in torch.randperm(len(Xa)).split(32):
        loss = nn.functional.mse_loss(net(Xa[k]), ya[k])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(Xv), yv).item()
    if epoch % 5 == 0:
        print(epoch, f"val {v:.4f}")
    if stop(v, net):
        break
net.load_state_dict(stop.state)
with torch.no_grad():
    print(f"restored val mse {nn.functional.mse_loss(net(Xv), yv).item():.4f}")
