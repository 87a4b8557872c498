import torch
import torch.nn as nn
import torch.nn.functional as F


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(16, 4)
        self.gate = nn.Linear(16, 1)
        self.log_softmax = nn.LogSoftmax(dim=1)

    def forward(self, x):
        return self.log_softmax(self.fc(x)), torch.sigmoid(self.gate(x)).squeeze(1)


model = Both()
nll, bce = nn.NLLLoss(), nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters())
for x, y, flag in loader:
    logp, p = model(x)
    loss = nll(logp, y) + bce(p, flag)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
