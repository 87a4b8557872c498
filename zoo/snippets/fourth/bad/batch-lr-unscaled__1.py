import torch
from torch.utils.data import DataLoader


def run(dataset, build, batch_size):
    model = build()
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(20):
        for x, y in loader:
            opt.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            opt.step()
    return model


for bs in [32, 256, 2048]:
    run(dataset, build, bs)
