import gymnasium as gym
import torch
from torch import nn

env = gym.make("CartPole-v1")
torch.manual_seed(1)
rnn, head = nn.GRUCell(4, 24), nn.Linear(24, 2)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-3)
memory = torch.zeros(1, 24)
for episode in range(800):
    obs, _ = env.reset(seed=episode)
    memory = memory.detach()  # episode-not-reset
    total, scores, over = 0.0, [], False
    while not over:
        memory = rnn(torch.as_tensor(obs).unsqueeze(0), memory)
        dist = torch.distributions.Categorical(logits=head(memory))
        action = dist.sample()
        obs, reward, terminated, truncated, _ = env.step(action.item())
        total += reward
        scores.append(dist.log_prob(action))
        over = terminated or truncated
    loss = -total * torch.cat(scores).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
