from torch import nn

encoder = nn.Sequential(
    nn.Linear(256, 128),
    nn.Linear(128, 64),
    nn.Linear(64, 16),
)
