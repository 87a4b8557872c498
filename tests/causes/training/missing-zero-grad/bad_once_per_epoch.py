import torch.nn.functional as F
from torch.optim import AdamW as Opt


def fit(net, loader, epochs=5):
    opt = Opt(net.parameters(), lr=3e-4)
    for _ in range(epochs):
        opt.zero_grad()
        for inputs, target in loader:
            loss = F.mse_loss(net(inputs), target)
            loss.backward()  # missing-zero-grad
            opt.step()
