import torch
import torch.nn as nn
from sklearn.datasets import fetch_california_housing
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = fetch_california_housing()
X_tr, X_te, y_tr, y_te = train_test_split(data.data, data.target, test_size=0.2, random_state=0)
sc = StandardScaler().fit(X_tr)

train_ds = TensorDataset(
    torch.tensor(sc.transform(X_tr), dtype=torch.float32),
    torch.tensor(y_tr, dtype=torch.float32),
)
loader = DataLoader(train_ds, batch_size=256, shuffle=True)

net = nn.Sequential(
    nn.Linear(8, 64), nn.ReLU(),
    nn.Linear(64, 64), nn.ReLU(),
    nn.Linear(64, 1),
)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
mse = nn.MSELoss()

for epoch in range(40):
    running = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        out = net(xb)
        loss = mse(out, yb)
        loss.backward()
        opt.step()
        running += loss.item() * xb.size(0)
    print(epoch, running / len(train_ds))
