import torch
import torch.nn.functional as F
from torch.optim import AdamW


def train(actor, critic, replay, gamma=0.99):
    actor_opt = AdamW(actor.parameters(), lr=1e-4)
    critic_opt = AdamW(critic.parameters(), lr=1e-3)
    for _ in range(100_000):
        obs, action, reward, nxt = replay.sample(256)
        with torch.no_grad():
            target = reward + gamma * critic(nxt, actor(nxt))
        critic_loss = F.mse_loss(critic(obs, action), target)
        critic_opt.zero_grad()
        critic_loss.backward()
        critic_opt.step()
        actor_loss = -critic(obs, actor(obs)).mean()
        actor_opt.zero_grad()
        actor_loss.backward()  # missing-step
