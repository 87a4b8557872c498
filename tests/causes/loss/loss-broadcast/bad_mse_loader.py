import torch
from sklearn.datasets import make_regression
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

features, target = make_regression(n_samples=800, n_features=12, noise=3.0)
x_train, x_test, y_train, y_test = train_test_split(features, target, random_state=0)
train = TensorDataset(
    torch.tensor(x_train, dtype=torch.float32), torch.tensor(y_train, dtype=torch.float32)
)
loader = DataLoader(train, batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(20):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)  # loss-broadcast
        loss.backward()
        optimizer.step()
