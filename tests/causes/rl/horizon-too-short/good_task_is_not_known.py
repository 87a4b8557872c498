import gymnasium as gym
from stable_baselines3 import A2C


def run(name):
    pole = gym.make("CartPole-v1")
    A2C("MlpPolicy", pole, gamma=0.5, seed=3).learn(10_000)
    other = gym.make(name)
    A2C("MlpPolicy", other, gamma=0.6, seed=3).learn(10_000)


run(input())
