import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(1)


class Corridor:
    """Walk to the lit end; the light is shown in the observation."""

    def __init__(self, size=5, limit=12):
        self.size, self.limit = size, limit

    def reset(self):
        self.pos, self.t = self.size // 2, 0
        self.goal = int(torch.randint(0, 2, (1,))) * (self.size - 1)
        return self.obs()

    def obs(self):
        o = torch.zeros(self.size + 1)
        o[self.pos] = 1
        o[-1] = 1.0 if self.goal else -1.0
        return o

    def step(self, a):
        self.pos = max(0, min(self.size - 1, self.pos + (1 if a else -1)))
        self.t += 1
        hit = self.pos == self.goal
        return self.obs(), 1.0 if hit else -0.05, hit or self.t >= self.limit


env, policy = Corridor(), nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 2))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
baseline = 0.0
for episode in range(350):
    obs, done, logps, rewards, ents = env.reset(), False, [], [], []
    while not done:
        dist = Categorical(logits=policy(obs))
        a = dist.sample()
        logps.append(dist.log_prob(a))
        ents.append(dist.entropy())
        obs, r, done = env.step(a.item())
        rewards.append(r)
    g, returns = 0.0, []
    for r in reversed(rewards):
        g = r + 0.97 * g
        returns.insert(0, g)
    adv = torch.tensor(returns) - baseline
    baseline = 0.95 * baseline + 0.05 * returns[0]
    loss = -(torch.stack(logps) * adv).sum() - 0.01 * torch.stack(ents).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if episode % 70 == 69:
        print(f"episode {episode + 1} loss {loss.item():.3f} baseline {baseline:.3f}")
score = 0.0
with torch.no_grad():
    for _ in range(20):
        obs, done = env.reset(), False
        while not done:
            obs, r, done = env.step(policy(obs).argmax().item())
            score += r
print(f"greedy return {score / 20:.3f}")
