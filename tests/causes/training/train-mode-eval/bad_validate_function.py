import torch
import torch.nn as N
import torch.nn.functional as F


class Conv(N.Module):
    def __init__(self):
        super().__init__()
        self.conv = N.Conv2d(3, 16, 3)
        self.bn = N.BatchNorm2d(16)
        self.fc = N.Linear(16, 10)

    def forward(self, x):
        return self.fc(F.relu(self.bn(self.conv(x))).mean((2, 3)))


def train_epoch(model, loader, optimizer):
    model.train()
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def validate(model, loader):
    losses = []
    with torch.inference_mode():
        for x, y in loader:
            losses.append(F.cross_entropy(model(x), y).item())  # train-mode-eval
    return sum(losses) / len(losses)


def main(train_loader, val_loader):
    model = Conv()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(30):
        train_epoch(model, train_loader, optimizer)
        print(validate(model, val_loader))


if __name__ == "__main__":
    main(make_loader("train"), make_loader("val"))
