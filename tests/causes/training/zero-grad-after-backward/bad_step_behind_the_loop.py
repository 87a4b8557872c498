import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(256, 8), torch.randint(2, (256,))), batch_size=32, shuffle=True)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(20):
    for x, y in loader:
        opt.zero_grad()  # zero-grad-after-backward
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
    opt.step()
    print(epoch, loss.item())
