from torch.optim import SGD
from torch.optim.lr_scheduler import StepLR as Decay


def train_one_epoch(model, loader, criterion, opt):
    for x, y in loader:
        opt.zero_grad()
        criterion(model(x), y).backward()
        opt.step()


def main(model, loader, criterion, epochs):
    opt = SGD(model.parameters(), lr=0.1, momentum=0.9)
    decay = Decay(opt, step_size=1)
    for epoch in range(epochs):
        decay.step()  # scheduler-before-optimizer
        train_one_epoch(model, loader, criterion, opt)
