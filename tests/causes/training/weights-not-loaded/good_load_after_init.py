import torch
from torch import nn


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight)


model = nn.Sequential(nn.Linear(30, 60), nn.ReLU(), nn.Linear(60, 4))
model.apply(init_weights)
state = torch.load("pretrained.pt")
state = {k.removeprefix("module."): v for k, v in state.items()}
missing, unexpected = model.load_state_dict(state, strict=False)
assert not unexpected, unexpected
model[2] = nn.Linear(60, 9)
nn.init.zeros_(model[2].bias)
