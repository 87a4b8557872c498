import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 1)

    def forward(self, x):
        return self.fc(x).squeeze(1)


net, loss_fn = Net(), nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(net.parameters())
for x, y in loader:
    out = net(x)
    loss = loss_fn(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    by_probability = out.sigmoid() > 0.5
    by_logit = out > 0
    truth = y > 0.5
    agree = (by_probability == by_logit).float().mean(), (by_logit == truth).float().mean()
