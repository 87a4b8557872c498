import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3), nn.Softmax(dim=-1))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for states, rewards in episodes:
    chances = policy(states)
    action = torch.multinomial(chances, 1)
    chosen = chances.gather(1, action).squeeze(1).log()
    other = Categorical(chances).sample()
    second = torch.log(chances[torch.arange(len(other)), other])
    loss = -((chosen + second) * rewards).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
