import torch
import torch.nn as nn
from sklearn.datasets import fetch_covtype

torch.manual_seed(1)
data = fetch_covtype(as_frame=True).frame.sort_values("Cover_Type")
x = torch.tensor(data.drop(columns="Cover_Type").values, dtype=torch.float32)
y = torch.tensor(data["Cover_Type"].values - 1)
x = (x - x.mean(0)) / (x.std(0) + 1e-8)

train_ds = torch.utils.data.TensorDataset(x, y)
train_dl = torch.utils.data.DataLoader(train_ds, batch_size=512)
net = nn.Sequential(nn.Linear(54, 128), nn.ReLU(), nn.Linear(128, 7))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for ep in range(10):
    for xb, yb in train_dl:
        opt.zero_grad()
        nn.functional.cross_entropy(net(xb), yb).backward()
        opt.step()
