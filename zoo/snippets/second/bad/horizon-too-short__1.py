import gymnasium as gym
import numpy as np

# FrozenLake 8x8: reward 1 only when the goal is reached, some 15-60 moves away
GAMMA = 0.5
ALPHA = 0.1
EPISODES = 20000

env = gym.make("FrozenLake8x8-v1", is_slippery=True)
rng = np.random.default_rng(42)
Q = np.zeros((64, 4))

for ep in range(EPISODES):
    s, _ = env.reset(seed=42 if ep == 0 else None)
    eps = max(0.05, 1.0 - ep / (0.6 * EPISODES))
    done = False
    while not done:
        a = int(rng.integers(4)) if rng.random() < eps else int(Q[s].argmax())
        s2, r, terminated, truncated, _ = env.step(a)
        target = r + (0.0 if terminated else GAMMA * Q[s2].max())
        Q[s, a] += ALPHA * (target - Q[s, a])
        s = s2
        done = terminated or truncated

wins = 0
for _ in range(100):
    s, _ = env.reset()
    done = False
    while not done:
        s, r, terminated, truncated, _ = env.step(int(Q[s].argmax()))
        done = terminated or truncated
    wins += r
print("win rate", wins / 100)
