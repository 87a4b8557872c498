import gymnasium as gym
import numpy as np

rng = np.random.default_rng(0)
env = gym.make("FrozenLake-v1", is_slippery=True)
Q = np.zeros((env.observation_space.n, env.action_space.n))

for ep in range(20_000):
    s, _ = env.reset(seed=ep)
    eps = max(0.02, 1 - ep / 10_000)
    while True:
        if rng.random() < eps:
            a = int(rng.integers(env.action_space.n))
        else:
            a = int(rng.choice(np.flatnonzero(Q[s] == Q[s].max())))
        s2, r, terminated, truncated, _ = env.step(a)
        future = 0.0 if terminated else Q[s2].max()
        Q[s, a] += 0.1 * (r + 0.99 * future - Q[s, a])
        s = s2
        if terminated or truncated:
            break
print(Q.argmax(1).reshape(4, 4))
