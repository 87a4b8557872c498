import gymnasium as gym, torch, numpy as np
import torch.nn as nn, torch.nn.functional as F


class ReplayBuffer:
    def __init__(self, sdim, n=int(1e5)):
        self.ptr, self.size, self.n = 0, 0, n
        self.state = np.zeros((n, sdim))
        self.next_state = np.zeros((n, sdim))
        self.action = np.zeros((n, 1))
        self.reward = np.zeros((n, 1))
        self.not_done = np.zeros((n, 1))

    def add(self, state, action, next_state, reward, done):
        self.state[self.ptr] = state
        self.action[self.ptr] = action
        self.next_state[self.ptr] = next_state
        self.reward[self.ptr] = reward
        self.not_done[self.ptr] = 1.0 - done
        self.ptr = (self.ptr + 1) % self.n
        self.size = min(self.size + 1, self.n)

    def sample(self, k):
        ind = np.random.randint(0, self.size, size=k)
        return (
            torch.FloatTensor(self.state[ind]),
            torch.FloatTensor(self.action[ind]),
            torch.FloatTensor(self.next_state[ind]),
            torch.FloatTensor(self.reward[ind]),
            torch.FloatTensor(self.not_done[ind]),
        )


class Agent:
    def __init__(self):
        self.critic = nn.Linear(5, 1)
        self.target = nn.Linear(5, 1)
        self.actor = nn.Linear(4, 1)
        self.opt = torch.optim.Adam(self.critic.parameters(), 3e-4)

    def train(self, buf):
        s, a, s2, r, nd = buf.sample(256)
        with torch.no_grad():
            q = self.target(torch.cat([s2, self.actor(s2)], 1))
            y = r + nd * 0.99 * q
        loss = F.mse_loss(self.critic(torch.cat([s, a], 1)), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


def main():
    env = gym.make("InvertedPendulum-v4")
    buf = ReplayBuffer(4)
    agent = Agent()
    state, _ = env.reset()
    for t in range(int(1e5)):
        action = agent.actor(torch.FloatTensor(state)).detach().numpy()
        next_state, reward, terminated, truncated, _ = env.step(action)
        done_bool = float(terminated or truncated)
        buf.add(state, action, next_state, reward, done_bool)  # truncation-as-termination
        state = next_state
        if t > 1000:
            agent.train(buf)
        if terminated or truncated:
            state, _ = env.reset()


main()
