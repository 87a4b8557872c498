import gymnasium as gym
import torch

env = gym.make("LunarLander-v3")
obs, _ = env.reset(seed=3)
for step in range(100_000):
    action = policy.act(torch.tensor(obs))
    nxt, reward, terminated, truncated, _ = env.step(action)
    replay.push(obs, action, reward, nxt, terminated)
    obs = nxt
    if step > 1000 and step % 4 == 0:
        loss = td_loss(policy, replay.sample(64))
        opt.zero_grad()
        loss.backward()
        opt.step()
