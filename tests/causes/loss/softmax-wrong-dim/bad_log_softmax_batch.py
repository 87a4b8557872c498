import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(500, 20)
y = torch.randint(0, 4, (500,))
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
body = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 4))
optimizer = torch.optim.Adam(body.parameters(), lr=1e-3)
for epoch in range(5):
    for xb, yb in loader:
        optimizer.zero_grad()
        logp = F.log_softmax(body(xb), dim=0)  # softmax-wrong-dim
        F.nll_loss(logp, yb).backward()
        optimizer.step()
