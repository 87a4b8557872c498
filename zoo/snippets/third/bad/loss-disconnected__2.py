import torch
import torch.nn as nn
from torch.autograd import Variable


def train(net, loader):
    opt = torch.optim.Adagrad(net.parameters(), lr=0.01)
    mse = nn.MSELoss()
    for x, y in loader:
        x, y = Variable(x), Variable(y)
        pred = net(x).data
        loss = Variable(mse(pred, y), requires_grad=True)
        opt.zero_grad()
        loss.backward()
        opt.step()
