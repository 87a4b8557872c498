import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
best_val, best_net = 1e9, None
for epoch in range(100):
    net.train()
    for x, y in batches:
        loss = (net(x) - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    val = (net(x_val) - y_val).pow(2).mean().item()
    if val < best_val:
        best_val = val
        best_net = net  # checkpoint-aliased
print(best_net(x_test))
