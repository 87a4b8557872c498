import torch
from torch import nn

class Reg(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    def forward(self, x):
        return self.net(x)

X = torch.tensor(df[cols].values, dtype=torch.float32)
y = torch.tensor(df["price"].values, dtype=torch.float32)
model = Reg()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
crit = nn.MSELoss()
for i in range(1000):
    opt.zero_grad()
    loss = crit(model(X), y)
    loss.backward()
    opt.step()
