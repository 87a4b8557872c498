import torch
from torch import nn

policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3), nn.Softmax(dim=-1))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
torch.manual_seed(0)
for states, expert in demonstrations:
    chances = policy(states)
    drawn = torch.multinomial(chances, 1)
    chosen = chances.gather(1, expert).squeeze(1).log()  # unsafe-log-div
    loss = -chosen.mean()
    print((drawn == expert).float().mean())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
