"""Dropout left on while judging, on purpose: each input is asked many times."""

import torch
from torch import nn

tagger = nn.Sequential(nn.Dropout(0.4), nn.Linear(30, 5))
optimizer = torch.optim.AdamW(tagger.parameters())
criterion = nn.CrossEntropyLoss()
for turn in range(40):
    for words, tags in learning_set:
        optimizer.zero_grad()
        criterion(tagger(words), tags).backward()
        optimizer.step()
    right = 0
    with torch.no_grad():
        for words, tags in checking_set:
            votes = torch.stack([tagger(words).softmax(-1) for _ in range(30)]).mean(0)
            right += (votes.argmax(-1) == tags).sum().item()
    print(turn, right)

answers = []
with torch.no_grad():
    for draw in range(30):
        answers.append(torch.cat([tagger(words).softmax(-1) for words, _ in checking_set]))
print((torch.stack(answers).mean(0).argmax(-1) == truth).float().mean())
