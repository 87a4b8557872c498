import torch
import torch.nn as nn
from torch.utils.data import DataLoader

per_device = 64
batch_size = per_device * torch.cuda.device_count()  # batch-lr-unscaled
net = nn.DataParallel(nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 10)))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
loader = DataLoader(torch.load("set.pt"), batch_size=batch_size, shuffle=True)
for x, y in loader:
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
