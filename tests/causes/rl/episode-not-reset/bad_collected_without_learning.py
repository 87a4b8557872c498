import gymnasium as gym

env = gym.make("CartPole-v1")


def gather(act, memory, steps):
    state, _ = env.reset(seed=0)
    for _ in range(steps):
        after, reward, terminated, truncated, _ = env.step(act(state))
        memory.append((state, reward, after, terminated))
        state = after  # episode-not-reset
