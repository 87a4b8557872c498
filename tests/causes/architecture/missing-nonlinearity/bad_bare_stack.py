from torch import nn

head = nn.Sequential(
    nn.Linear(64, 32),
    nn.Linear(32, 8),  # missing-nonlinearity
)
