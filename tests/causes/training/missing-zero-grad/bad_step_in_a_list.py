import torch
from torch import nn


class Fitter:
    def __init__(self, net, batches):
        self.net, self.batches = net, batches
        self.rule = torch.optim.SGD(net.parameters(), lr=0.1)

    def learn(self, pair):
        loss = nn.functional.mse_loss(self.net(pair[0]), pair[1])
        loss.backward()  # missing-zero-grad
        self.rule.step()
        return loss.item()

    def once(self):
        self.rule.zero_grad()
        return sum(self.learn(pair) for pair in self.batches)


fitter = Fitter(nn.Linear(4, 1), [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(10)])
for turn in range(5):
    print(fitter.once())
