import torch as t
import torch.nn as N
import torch.nn.functional as F


class Net(N.Module):
    def __init__(self):
        super().__init__()
        self.fc = N.Linear(784, 10)

    def forward(self, x):
        return self.fc(x.flatten(1))


@t.inference_mode()  # no-grad-training
def predict(net, x):
    return net(x)


def train(net, loader, opt):
    for x, y in loader:
        loss = F.cross_entropy(predict(net, x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


net = Net()
train(net, loader, t.optim.Adam(net.parameters()))
