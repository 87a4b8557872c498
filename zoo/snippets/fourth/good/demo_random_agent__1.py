import gymnasium as gym

env = gym.make("CartPole-v1", render_mode="human")
obs, _ = env.reset(seed=0)
total = 0.0
for _ in range(500):
    obs, r, terminated, truncated, _ = env.step(env.action_space.sample())
    total += r
    if terminated or truncated:
        break
print(total)
