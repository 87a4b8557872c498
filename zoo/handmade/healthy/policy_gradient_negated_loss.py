"""REINFORCE on a contextual bandit: pick the ad that the visitor would click."""

import torch
import torch.nn as nn
from torch.distributions import Categorical


class AdBandit:
    """Each visitor is a feature vector; one of four ads suits them best and pays about 1."""

    n_features = 6
    n_arms = 4

    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)
        self.taste = torch.randn(self.n_features, self.n_arms, generator=self.gen)
        self.taste /= self.taste.norm(dim=0)

    def visitors(self, n):
        return torch.randn(n, self.n_features, generator=self.gen)

    def best_arm(self, visitors):
        return (visitors @ self.taste).argmax(dim=1)

    def pull(self, visitors, arms):
        clicked = (arms == self.best_arm(visitors)).float()
        return clicked + 0.1 * torch.randn(len(arms), generator=self.gen)


class Policy(nn.Module):
    def __init__(self, n_features, n_arms):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_features, 32), nn.Tanh(), nn.Linear(32, n_arms))

    def forward(self, visitors):
        return Categorical(logits=self.layers(visitors))


def reinforce_update(policy, optimizer, bandit, batch_size, entropy_coef):
    visitors = bandit.visitors(batch_size)
    with torch.no_grad():
        arms = policy(visitors).sample()
        rewards = bandit.pull(visitors, arms)
    advantage = (rewards - rewards.mean()) / (rewards.std() + 1e-8)

    dist = policy(visitors)
    entropy = dist.entropy().mean()
    policy_loss = -(advantage * dist.log_prob(arms)).mean()
    loss = policy_loss - entropy_coef * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return rewards.mean().item(), entropy.item()


def greedy_hit_rate(policy, bandit, n=2000):
    visitors = bandit.visitors(n)
    with torch.no_grad():
        choice = policy(visitors).probs.argmax(dim=1)
    return (choice == bandit.best_arm(visitors)).float().mean().item()


def main():
    torch.manual_seed(9)
    bandit = AdBandit(seed=17)
    policy = Policy(bandit.n_features, bandit.n_arms)
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)

    print(f"before training: hit rate {greedy_hit_rate(policy, bandit):.3f}")
    reward_avg = None
    for update in range(1, 601):
        reward, entropy = reinforce_update(policy, optimizer, bandit, 128, entropy_coef=0.01)
        reward_avg = reward if reward_avg is None else 0.95 * reward_avg + 0.05 * reward
        if update % 60 == 0:
            print(f"update {update:3d}  mean reward {reward_avg:.3f}  entropy {entropy:.3f}")
    print(f"final greedy hit rate {greedy_hit_rate(policy, bandit):.3f}")


if __name__ == "__main__":
    main()
