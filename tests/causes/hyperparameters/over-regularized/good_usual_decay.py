import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 2))
decay = [p for p in model.parameters() if p.ndim >= 2]
plain = [p for p in model.parameters() if p.ndim < 2]
optimizer = torch.optim.AdamW(
    [{"params": decay, "weight_decay": 0.3}, {"params": plain, "weight_decay": 0.0}], lr=1e-3
)
sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
adam = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
