import numpy as np
import torch
import torch.nn as nn

rng = np.random.default_rng(5)
x = rng.uniform(-1, 1, size=(500, 4))
y = x @ np.array([1.5, -2.0, 0.5, 3.0]) + rng.normal(size=500)
inputs, wanted = torch.tensor(x).float(), torch.tensor(y).float().unsqueeze(1)
torch.manual_seed(5)
net = nn.Sequential(
    nn.Linear(4, 32),
    nn.ReLU(),
    nn.Linear(32, 1),
    nn.Tanh(),  # output-activation
)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(300):
    opt.zero_grad()
    loss = nn.HuberLoss()(net(inputs), wanted)
    loss.backward()
    opt.step()
