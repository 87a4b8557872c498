import torch
from torch import nn
from torch.utils.data import DataLoader

images, pairs = torch.load("sets.pt")
encoder, ranker = nn.Linear(64, 8), nn.Linear(16, 2)
encoder_opt = torch.optim.SGD(encoder.parameters(), lr=0.1)
ranker_opt = torch.optim.SGD(ranker.parameters(), lr=0.1)
for x, y in DataLoader(images, batch_size=512, shuffle=True):
    encoder_opt.zero_grad()
    nn.functional.cross_entropy(encoder(x), y).backward()
    encoder_opt.step()
for x, y in DataLoader(pairs, batch_size=32, shuffle=True):
    ranker_opt.zero_grad()
    nn.functional.cross_entropy(ranker(x), y).backward()
    ranker_opt.step()
