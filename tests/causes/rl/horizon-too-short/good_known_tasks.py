import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO

car = gym.make("MountainCar-v0")
PPO("MlpPolicy", car, gamma=0.95, seed=0).learn(200_000)


def tabular(gamma=0.9, alpha=0.1, bins=20):
    rng = np.random.default_rng(0)
    low, high = car.observation_space.low, car.observation_space.high
    table = np.zeros((bins, bins, 3))
    for episode in range(5000):
        obs, _ = car.reset(seed=episode)
        place = tuple(((obs - low) / (high - low) * (bins - 1)).astype(int))
        over = False
        while not over:
            action = int(rng.integers(3)) if rng.random() < 0.1 else int(table[place].argmax())
            obs, reward, terminated, truncated, _ = car.step(action)
            new = tuple(((obs - low) / (high - low) * (bins - 1)).astype(int))
            goal = reward if terminated else reward + gamma * table[new].max()
            table[place][action] += alpha * (goal - table[place][action])
            place, over = new, terminated or truncated
    return table


tabular()
