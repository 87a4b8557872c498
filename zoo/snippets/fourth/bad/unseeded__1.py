import torch
import torch.nn as nn

SEED = 1337
print("seed", SEED)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(net.parameters())
for x, y in torch.utils.data.DataLoader(ds, 16, shuffle=True):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
