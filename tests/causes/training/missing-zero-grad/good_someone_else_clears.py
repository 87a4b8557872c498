import torch
from engine import prepare_update


def with_helper(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        prepare_update(optimizer)
        criterion(model(x), y).backward()
        optimizer.step()


def with_engine(engine, optimizer, loader):
    for batch in loader:
        loss = engine(batch)
        engine.backward(loss)
        optimizer.step()


def smoke_test(make_model, x):
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(x).mean().backward()
    optimizer.step()
