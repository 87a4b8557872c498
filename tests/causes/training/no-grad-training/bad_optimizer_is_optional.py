import torch


def turn(net, loader, loss_fn, optimizer=None):
    for x, y in loader:
        with torch.no_grad():  # no-grad-training
            out = net(x)
        loss = loss_fn(out, y)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
