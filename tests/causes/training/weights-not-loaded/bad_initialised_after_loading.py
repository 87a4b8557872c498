import torch
from torch import nn


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)
        nn.init.zeros_(m.bias)


model = nn.Sequential(nn.Linear(30, 60), nn.ReLU(), nn.Linear(60, 4))
model.load_state_dict(torch.load("pretrained.pt", weights_only=True))
model.apply(init_weights)  # weights-not-loaded
model.train()
