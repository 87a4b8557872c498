import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader as Loader


def train(model, data, epochs):
    loader = Loader(data, batch_size=32, shuffle=True)
    opt = torch.optim.Adam(model.parameters())
    running = 0.0
    for epoch in range(epochs):
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
        print(epoch, running / len(loader))  # metric-accumulation-bug
