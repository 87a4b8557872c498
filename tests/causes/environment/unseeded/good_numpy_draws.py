import numpy as np
import torch

np.random.seed(0)
x = np.random.randn(512, 8).astype("float32")
y = (x[:, :2].sum(1) > 0).astype("int64")
net = torch.nn.Linear(8, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(100):
    opt.zero_grad()
    torch.nn.functional.cross_entropy(net(torch.from_numpy(x)), torch.from_numpy(y)).backward()
    opt.step()
