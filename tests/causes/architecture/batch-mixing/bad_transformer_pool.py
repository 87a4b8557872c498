import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, dim=32, classes=4):
        super().__init__()
        layer = nn.TransformerEncoderLayer(dim, nhead=4)  # batch-mixing
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.encoder(x).mean(dim=1))


model = Encoder()
batch = torch.randn(16, 50, 32)
print(model(batch).shape)
