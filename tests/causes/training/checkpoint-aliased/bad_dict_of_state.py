import torch
from torch import nn

model = nn.Linear(5, 2)
opt = torch.optim.Adam(model.parameters())


class Keeper:
    def __init__(self):
        self.lowest, self.state = float("inf"), None

    def look(self, loss):
        if loss < self.lowest:
            self.lowest = loss
            self.state = dict(model.state_dict())  # checkpoint-aliased


keeper = Keeper()
for step in range(100):
    loss = nn.functional.mse_loss(model(torch.randn(16, 5)), torch.randn(16, 2))
    opt.zero_grad()
    loss.backward()
    opt.step()
    keeper.look(loss.item())
model.load_state_dict(keeper.state)
