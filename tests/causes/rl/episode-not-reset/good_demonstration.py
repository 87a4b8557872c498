import gymnasium as gym

env = gym.make("CartPole-v1", render_mode="human")
env.reset(seed=0)
for _ in range(200):
    env.step(env.action_space.sample())
