import torch
from torch import nn

recipe = dict(batch_size=128, lr=0.1, epochs=200)
big = dict(recipe, batch_size=2048, lr=1.6)
quick = dict(recipe, batch_size=32, epochs=1)
wide = recipe | {"batch_size": 256}


def run(settings, train_set):
    net = nn.Linear(784, 10)
    opt = torch.optim.SGD(net.parameters(), lr=settings["lr"], momentum=0.9)
    for x, y in torch.utils.data.DataLoader(train_set, settings["batch_size"], shuffle=True):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()


for settings in (big, quick, wide):
    run(settings, torch.load("train.pt"))
