from torch import nn

head = nn.Sequential(
    nn.Linear(300, 100),
    nn.ReLU(),
    nn.Dropout(0.97),  # over-regularized
    nn.Linear(100, 5),
)
