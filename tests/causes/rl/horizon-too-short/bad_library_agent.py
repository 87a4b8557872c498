import argparse

import gymnasium as gym
from stable_baselines3 import DQN

SETTINGS = {"learning_rate": 4e-3, "gamma": 0.7}  # horizon-too-short

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=120_000)
args = parser.parse_args()
env = gym.make("MountainCar-v0")
agent = DQN("MlpPolicy", env, learning_rate=SETTINGS["learning_rate"], gamma=SETTINGS["gamma"], seed=1)
agent.learn(total_timesteps=args.steps)
