import torch
import torch.nn.functional as F
from torch import nn

reader = nn.GRU(2, 32, batch_first=True)
head = nn.Linear(32, 5)
opt = torch.optim.Adam(list(reader.parameters()) + list(head.parameters()), lr=1e-3)
for signal, label in loader:
    with torch.no_grad():  # no-grad-training
        _, last = reader(signal)
    loss = F.cross_entropy(head(last[0]), label)
    opt.zero_grad()
    loss.backward()
    opt.step()
