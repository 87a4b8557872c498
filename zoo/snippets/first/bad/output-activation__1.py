import numpy as np
import torch
import torch.nn as nn

data = np.load("bike_hourly.npz")
x_tr, y_tr = data["x_train"], data["demand_train"]
y_mean, y_std = y_tr.mean(), y_tr.std()
x = torch.tensor((x_tr - x_tr.mean(0)) / x_tr.std(0), dtype=torch.float32)
y = torch.tensor((y_tr - y_mean) / y_std, dtype=torch.float32).unsqueeze(1)


class DemandNet(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.l1 = nn.Linear(n, 100)
        self.l2 = nn.Linear(100, 50)
        self.l3 = nn.Linear(50, 1)

    def forward(self, x):
        x = torch.relu(self.l1(x))
        x = torch.relu(self.l2(x))
        return torch.relu(self.l3(x))


torch.manual_seed(0)
net = DemandNet(x.shape[1])
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(60):
    for b in torch.randperm(len(x)).split(64):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x[b]), y[b])
        loss.backward()
        opt.step()
print("rmse", loss.item() ** 0.5 * y_std)
