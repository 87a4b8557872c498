import torch


class Storage:
    def __init__(self, length, width, discount=0.995, lam=0.9):
        self.states = torch.zeros(length, width)
        self.rewards, self.values = torch.zeros(length), torch.zeros(length)
        self.dones = torch.zeros(length)
        self.length, self.discount, self.lam, self.at = length, discount, lam, 0

    def insert(self, state, reward, value, done):
        self.states[self.at] = state
        self.rewards[self.at], self.values[self.at] = reward, value
        self.dones[self.at] = done
        self.at = (self.at + 1) % self.length

    def advantages(self, bootstrap):
        out, running, ahead = torch.zeros(self.length), 0.0, bootstrap
        for i in range(self.length - 1, -1, -1):
            error = self.rewards[i] + self.discount * ahead - self.values[i]
            running = error + self.discount * self.lam * running  # bootstrap-through-terminal
            out[i], ahead = running, self.values[i]
        return out
