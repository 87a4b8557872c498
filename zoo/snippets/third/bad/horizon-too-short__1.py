import gymnasium as gym
from stable_baselines3 import DQN

# MountainCar: -1 per step until the flag, about 100-200 steps away for a good policy
env = gym.make("MountainCar-v0")
model = DQN("MlpPolicy", env, learning_rate=4e-3, gamma=0.6, train_freq=16, seed=2)
model.learn(total_timesteps=120_000)
