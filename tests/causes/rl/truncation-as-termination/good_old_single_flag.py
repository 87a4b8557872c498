import gym
import torch
import torch.nn.functional as F


def collect(env, agent, buffer, steps):
    obs = env.reset()
    for _ in range(steps):
        action = agent.act(obs)
        next_obs, reward, done, info = env.step(action)
        buffer.add(obs, action, reward, next_obs, done and not info.get("TimeLimit.truncated", False))
        obs = env.reset() if done else next_obs


def update(critic, critic_target, actor_target, optimizer, buffer, gamma):
    obs, action, reward, next_obs, done = buffer.sample(256)
    with torch.no_grad():
        target = reward + gamma * (1 - done) * critic_target(next_obs, actor_target(next_obs))
    loss = F.mse_loss(critic(obs, action), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
