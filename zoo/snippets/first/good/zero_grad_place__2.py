import torch
import torch.nn as nn


class Solver(object):
    def __init__(self, net, lr, weight_decay):
        self.net = net
        self.loss = nn.CrossEntropyLoss()
        self.optim = torch.optim.SGD(self.net.parameters(), lr=lr, momentum=0.9, weight_decay=weight_decay)

    def reset_grad(self):
        for p in self.net.parameters():
            p.grad = None

    def backprop(self, images, labels):
        l = self.loss(self.net(images), labels)
        l.backward()
        return l.item()

    def train(self, loader, epochs):
        for e in range(epochs):
            self.net.train()
            s, n = 0.0, 0
            for images, labels in loader:
                self.reset_grad()
                s += self.backprop(images, labels) * labels.size(0)
                n += labels.size(0)
                self.optim.step()
            print('epoch %d: %.4f' % (e, s / n))
