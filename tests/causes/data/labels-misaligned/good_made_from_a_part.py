import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

data = load_digits()
here, there, kinds, others = train_test_split(data.data, data.target, random_state=1)


def groups(rows, kinds, count):
    drawn, answers = [], []
    for _ in range(count):
        picked = np.random.choice(len(rows), 6)
        drawn.append(torch.tensor(rows[picked], dtype=torch.float32).mean(0))
        answers.append(float((kinds[picked] == 3).any()))
    return drawn, torch.tensor(answers)


train, wanted = groups(here, kinds, 300)
net = nn.Linear(64, 1)
optimizer = torch.optim.Adam(net.parameters())
for epoch in range(5):
    for batch in torch.randperm(len(train)).split(20):
        scores = net(torch.stack([train[i] for i in batch.tolist()])).squeeze(1)
        loss = nn.functional.binary_cross_entropy_with_logits(scores, wanted[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
