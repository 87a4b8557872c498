import gymnasium as gym
import numpy as np

env = gym.make("CliffWalking-v0", max_episode_steps=500)
rng = np.random.default_rng(3)
Q = np.zeros((env.observation_space.n, env.action_space.n))
alpha, gamma = 0.5, 1.0

history = []
for episode in range(1000):
    s, _ = env.reset(seed=episode)
    total, done = 0.0, False
    eps = max(0.02, 0.3 * 0.995 ** episode)
    while not done:
        if rng.random() < eps:
            a = int(rng.integers(env.action_space.n))
        else:
            a = int(rng.choice(np.flatnonzero(Q[s] == Q[s].max())))
        s2, r, terminated, truncated, _ = env.step(a)
        target = r if terminated else r + gamma * Q[s2].max()
        Q[s, a] += alpha * (target - Q[s, a])
        s, total = s2, total + r
        done = terminated or truncated
    history.append(total)
print(np.mean(history[-100:]))
