"""Policy gradient: pick the arm that matches the colour you are shown."""
import torch
from torch import nn
from torch.distributions import Categorical


class Bandit:
    def __init__(self, colours=5):
        self.n = colours

    def reset(self, batch):
        self.colour = torch.randint(0, self.n, (batch,))
        return nn.functional.one_hot(self.colour, self.n).float()

    def step(self, arm):
        return (arm == (self.colour * 2 + 1) % self.n).float()


torch.manual_seed(28)
env = Bandit()
policy = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-5)
baseline = 0.0
for episode in range(400):
    obs = env.reset(32)
    dist = Categorical(logits=policy(obs))
    arm = dist.sample()
    reward = env.step(arm)
    advantage = reward - baseline
    loss = -(dist.log_prob(arm) * advantage).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    baseline = 0.9 * baseline + 0.1 * reward.mean().item()
    if episode % 80 == 79:
        print(f"episode {episode + 1} reward {baseline:.3f}")
with torch.no_grad():
    obs = env.reset(500)
    print(f"mean reward {env.step(policy(obs).argmax(1)).mean().item():.3f}")
