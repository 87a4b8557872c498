import torch


class Rollout:
    def __init__(self, length, envs):
        self.rewards = torch.zeros(length, envs)
        self.values = torch.zeros(length, envs)
        self.dones = torch.zeros(length, envs)

    def finish(self, next_value, next_done, gamma, gae_lambda):
        advantages = torch.zeros_like(self.rewards)
        lastgaelam = 0
        for t in reversed(range(len(self.rewards))):
            if t == len(self.rewards) - 1:
                nextnonterminal = 1.0 - next_done
                nextvalues = next_value
            else:
                nextnonterminal = 1.0 - self.dones[t + 1]
                nextvalues = self.values[t + 1]
            delta = self.rewards[t] + gamma * nextvalues * nextnonterminal - self.values[t]
            advantages[t] = lastgaelam = delta + gamma * gae_lambda * nextnonterminal * lastgaelam
        return advantages


def average_of_rewards(rewards):
    smooth = rewards[0]
    for reward in rewards:
        smooth = 0.05 * reward + 0.95 * smooth
    return smooth
