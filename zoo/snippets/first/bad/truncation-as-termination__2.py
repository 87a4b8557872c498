import gymnasium as gym
import numpy as np

rng = np.random.default_rng(0)
env = gym.make("Taxi-v3", max_episode_steps=50)
Q = np.zeros((env.observation_space.n, env.action_space.n))
alpha, gamma = 0.2, 0.99

for ep in range(10_000):
    s, _ = env.reset(seed=ep)
    eps = max(0.05, 1.0 - ep / 4000)
    finished = False
    while not finished:
        a = rng.integers(env.action_space.n) if rng.random() < eps else int(Q[s].argmax())
        s2, r, terminated, truncated, _ = env.step(a)
        finished = terminated or truncated
        if finished:
            target = r
        else:
            target = r + gamma * Q[s2].max()
        Q[s, a] += alpha * (target - Q[s, a])
        s = s2
    if ep % 1000 == 0:
        print(ep, Q.max())
