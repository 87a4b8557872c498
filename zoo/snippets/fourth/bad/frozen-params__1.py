import torch
import torch.nn as nn


class Probe(nn.Module):
    def __init__(self, encoder, dim, n):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(dim, n)

    def freeze(self):
        for p in self.parameters():
            p.requires_grad = False

    def forward(self, x):
        return self.head(self.encoder(x))


probe = Probe(encoder, 768, 5)
probe.freeze()
opt = torch.optim.AdamW(probe.parameters(), lr=1e-3)
for x, y in dl:
    loss = nn.functional.cross_entropy(probe(x), y)
    loss.requires_grad_()
    opt.zero_grad()
    loss.backward()
    opt.step()
