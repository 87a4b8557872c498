import gymnasium as gym
import numpy as np

env = gym.make("FrozenLake-v1")
rng = np.random.default_rng(0)
q = np.zeros((16, 4))
gamma = 0.99
for episode in range(3000):
    s, _ = env.reset(seed=episode)
    done = False
    path = []
    while not done:
        a = int(rng.integers(4)) if rng.random() < 0.2 else int(q[s].argmax())
        s2, r, terminated, truncated, _ = env.step(a)
        path.append(r)
        if terminated:
            target = r
        else:
            target = r + gamma * q[s2].max()
        q[s, a] += 0.1 * (target - q[s, a])
        s, done = s2, terminated or truncated
    returns = np.zeros(len(path) + 1)
    for t in reversed(range(len(path))):
        returns[t] = path[t] + gamma * returns[t + 1]
    if done and returns[0] > 0:
        print(episode, returns[0])
