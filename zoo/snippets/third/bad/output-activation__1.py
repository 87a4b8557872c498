import torch
import torch.nn as nn
from sklearn.preprocessing import StandardScaler

y_scaler = StandardScaler()
y_train_s = y_scaler.fit_transform(y_train.reshape(-1, 1))

net = nn.Sequential(
    nn.Linear(13, 64), nn.ReLU(),
    nn.Linear(64, 64), nn.ReLU(),
    nn.Linear(64, 1), nn.ReLU(),
)
X = torch.tensor(X_train_s, dtype=torch.float32)
Y = torch.tensor(y_train_s, dtype=torch.float32)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(3000):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(X), Y)
    loss.backward()
    opt.step()
