import gymnasium as gym
import numpy as np

env = gym.make("Taxi-v3")
rng = np.random.default_rng(1)
Q = np.zeros((env.observation_space.n, env.action_space.n))
alpha, gamma, epsilon = 0.1, 0.99, 0.1
returns = []

state, _ = env.reset(seed=1)
for episode in range(5000):
    done = False
    total = 0
    while not done:
        if rng.random() < epsilon:
            action = env.action_space.sample()
        else:
            action = int(np.argmax(Q[state]))
        next_state, reward, terminated, truncated, _ = env.step(action)
        best_next = 0.0 if terminated else Q[next_state].max()
        Q[state, action] += alpha * (reward + gamma * best_next - Q[state, action])
        state = next_state
        total += reward
        done = terminated or truncated
    returns.append(total)
    if episode % 500 == 0:
        print(episode, np.mean(returns[-100:]))
