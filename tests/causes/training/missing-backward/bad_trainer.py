import torch.nn.functional as F
import torch.optim as O


class Classifier:
    def __init__(self, net):
        self.net = net
        self.opt = O.SGD(net.parameters(), lr=0.05)

    def train_epoch(self, loader):
        self.net.train()
        for images, labels in loader:
            self.opt.zero_grad()
            logits = self.net(images)
            loss = F.cross_entropy(logits, labels)
            self.opt.step()  # missing-backward
            print(loss.item())
