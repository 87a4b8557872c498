import torch
import torch.nn as nn

net = nn.Sequential(
    nn.Linear(30, 64),
    nn.ReLU(),
    nn.Linear(64, 1),
)
bce = nn.BCELoss()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(100):
    opt.zero_grad()
    out = net(X_train).squeeze(1)
    loss = bce(out, y_train)
    loss.backward()
    opt.step()
    print(epoch, loss.item())
