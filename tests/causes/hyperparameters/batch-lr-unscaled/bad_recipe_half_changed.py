import torch
from torch import nn

recipe = {"batch_size": 128, "lr": 0.1, "epochs": 200}
big = {**recipe, "batch_size": 2048}  # batch-lr-unscaled


def run(settings, train_set):
    net = nn.Linear(784, 10)
    opt = torch.optim.SGD(net.parameters(), lr=settings["lr"], momentum=0.9)
    loader = torch.utils.data.DataLoader(train_set, settings["batch_size"], shuffle=True)
    for _ in range(settings["epochs"]):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()


run(big, torch.load("train.pt"))
