import torch.optim as optim


def train_one_epoch(model, loader, criterion):
    model.train()
    opt = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)  # model-reset-in-loop
    for x, y in loader:
        opt.zero_grad()
        criterion(model(x), y).backward()
        opt.step()


def main(model, train_loader, criterion, epochs=10):
    for epoch in range(epochs):
        train_one_epoch(model, train_loader, criterion)
        print("epoch", epoch, "done")
