import torch.nn as nn

classifier = nn.Sequential(
    nn.Linear(512, 256), nn.ReLU(), nn.Dropout(0.95),
    nn.Linear(256, 10),
)
