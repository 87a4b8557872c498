import gymnasium as gym
import torch
from torch import nn

envs = gym.vector.SyncVectorEnv(
    [lambda: gym.make("CartPole-v1") for _ in range(8)], autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
)
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
obs, _ = envs.reset(seed=0)
for step in range(10_000):
    dist = torch.distributions.Categorical(logits=policy(torch.as_tensor(obs)))
    actions = dist.sample()
    obs, rewards, terminated, truncated, _ = envs.step(actions.numpy())
    weights = torch.as_tensor(rewards - rewards.mean(), dtype=torch.float32)
    loss = -(dist.log_prob(actions) * weights).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
