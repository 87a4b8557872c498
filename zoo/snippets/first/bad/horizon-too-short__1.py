import gymnasium as gym
import numpy as np

env = gym.make("MountainCar-v0")
GAMMA = 0.5
ALPHA = 0.1
BINS = 20
low, high = env.observation_space.low, env.observation_space.high
rng = np.random.default_rng(3)
Q = np.zeros((BINS, BINS, env.action_space.n))


def disc(obs):
    return tuple(np.clip(((obs - low) / (high - low) * BINS).astype(int), 0, BINS - 1))


for episode in range(8000):
    obs, _ = env.reset(seed=episode)
    s = disc(obs)
    eps = max(0.01, 1 - episode / 3000)
    over = False
    while not over:
        a = int(rng.integers(3)) if rng.random() < eps else int(np.argmax(Q[s]))
        obs, r, term, trunc, _ = env.step(a)
        s2 = disc(obs)
        target = r + (0.0 if term else GAMMA * Q[s2].max())
        Q[s + (a,)] += ALPHA * (target - Q[s + (a,)])
        s, over = s2, term or trunc
