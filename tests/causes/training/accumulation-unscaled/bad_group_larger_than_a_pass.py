import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.rand(256, 5)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=64, shuffle=True)
model = nn.Linear(5, 1)
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.MSELoss()
every = 16
for epoch in range(100):
    for step, (features, goal) in enumerate(loader):
        loss = criterion(model(features), goal) / every
        loss.backward()
        if not (step + 1) % every:  # accumulation-unscaled
            optimizer.step()
            optimizer.zero_grad()
