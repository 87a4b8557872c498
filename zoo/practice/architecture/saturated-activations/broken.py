import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


class Steep(nn.Module):
    """A tanh unit with adjustable gain."""

    def __init__(self, gain=60.0):
        super().__init__()
        self.gain = gain

    def forward(self, x):
        return torch.tanh(self.gain * x)


torch.manual_seed(12)
X, y = load_breast_cancer(return_X_y=True)
Xa, Xb, ya, yb = train_test_split(X, y, random_state=12)
sc = StandardScaler().fit(Xa)
Xa, Xb = [torch.tensor(sc.transform(v), dtype=torch.float32) for v in (Xa, Xb)]
ya, yb = [torch.tensor(v, dtype=torch.float32).unsqueeze(1) for v in (ya, yb)]

net = nn.Sequential(nn.Linear(30, 24), Steep(), nn.Linear(24, 24), Steep(), nn.Linear(24, 24), Steep(), nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
crit = nn.BCEWithLogitsLoss()
for epoch in range(25):
    for idx in torch.randperm(len(Xa)).split(32):
        opt.zero_grad()
        loss = crit(net(Xa[idx]), ya[idx])
        loss.backward()
        opt.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1}: {loss.item():.4f}")
with torch.no_grad():
    print(f"test loss {crit(net(Xb), yb).item():.4f}")
