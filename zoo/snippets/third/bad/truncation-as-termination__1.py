import gymnasium as gym
import numpy as np

env = gym.make("Pendulum-v1")


def collect(policy, buffer, steps=10_000):
    obs, _ = env.reset(seed=0)
    for _ in range(steps):
        act = policy(obs)
        next_obs, rew, terminated, truncated, info = env.step(act)
        done = terminated or truncated
        buffer.add(obs, act, rew, next_obs, done)
        obs = next_obs
        if done:
            obs, _ = env.reset()


def td_target(batch, q_target, actor_target, gamma=0.99):
    a2 = actor_target(batch.next_obs)
    return batch.rew + gamma * (1 - batch.done) * q_target(batch.next_obs, a2)
