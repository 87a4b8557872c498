import gymnasium as gym
import torch

env = gym.make("Acrobot-v1")


def gather_rollout(policy, n_steps=2048):
    storage = []
    obs, info = env.reset(seed=1)
    for t in range(n_steps):
        with torch.no_grad():
            dist = policy(torch.as_tensor(obs, dtype=torch.float32))
            action = dist.sample()
        next_obs, reward, terminated, truncated, info = env.step(action.item())
        storage.append((obs, action, reward, terminated))
        obs = next_obs
    return storage
