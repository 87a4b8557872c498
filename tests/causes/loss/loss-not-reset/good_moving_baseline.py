import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Linear(6, 3)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-2)
baseline, scale, count = 0.0, 1.0, 0
for turn in range(5000):
    features = draw_features(32)
    dist = Categorical(logits=actor(features))
    choice = dist.sample()
    payout = pay(features, choice)
    loss = -((payout - baseline) / scale * dist.log_prob(choice)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    count = count + 1
    baseline = 0.9 * baseline + 0.1 * payout.mean()
    scale = 0.99 * scale + 0.01 * float(payout.std())
