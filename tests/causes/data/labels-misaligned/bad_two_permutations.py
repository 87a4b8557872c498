import torch
import torch.nn.functional as F


def train(model, opt, x, y, batch=64):
    for epoch in range(10):
        px = torch.randperm(len(x))
        py = torch.randperm(len(y))  # labels-misaligned
        for i in range(0, len(x), batch):
            loss = F.cross_entropy(model(x[px[i : i + batch]]), y[py[i : i + batch]])
            opt.zero_grad()
            loss.backward()
            opt.step()


net = torch.nn.Linear(4, 3)
train(net, torch.optim.SGD(net.parameters(), lr=0.1), torch.load("x.pt"), torch.load("y.pt"))
