"""The log-probabilities were kept during the episode; the method that uses them is all there is."""

import torch


class Agent:
    def finish_episode(self, optimizer):
        gains, total = [], 0.0
        for reward in reversed(self.rewards):
            total = reward + 0.99 * total
            gains.insert(0, total)
        returns = torch.tensor(gains)
        objective = (torch.stack(self.saved_log_probs) * returns).sum()  # loss-sign-flipped
        optimizer.zero_grad()
        objective.backward()
        optimizer.step()
        self.rewards.clear()
        self.saved_log_probs.clear()
