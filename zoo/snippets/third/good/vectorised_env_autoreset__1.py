import gymnasium as gym
import torch


def rollout(agent, n_envs=8, horizon=128, seed=0):
    envs = gym.make_vec("CartPole-v1", num_envs=n_envs)
    obs, _ = envs.reset(seed=seed)
    buf = []
    for _ in range(horizon):
        with torch.no_grad():
            a, logp, v = agent.act(torch.as_tensor(obs))
        nxt, r, term, trunc, info = envs.step(a.numpy())
        buf.append((obs, a, logp, v, r, term, trunc))
        obs = nxt
    return buf
