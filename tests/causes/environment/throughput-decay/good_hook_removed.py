import torch
from torch import nn

net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(1000):
    x, y = torch.randn(16, 10), torch.randint(2, (16,))
    kept = []
    handle = net[1].register_forward_hook(lambda m, i, o: kept.append(o))
    loss = nn.functional.cross_entropy(net(x), y) + 0.01 * kept[0].abs().mean()
    handle.remove()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
