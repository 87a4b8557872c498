# sanity check before the long run: the network must be able to learn one batch by heart
import torch
import torch.nn.functional as F

torch.manual_seed(0)
x, y = next(iter(train_loader))
x, y = x.to(device), y.to(device)
net = build_net().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
net.train()
for i in range(500):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
assert loss.item() < 0.05, loss.item()
