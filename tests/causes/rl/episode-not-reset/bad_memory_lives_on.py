import gymnasium as gym
import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 32)
        self.head = nn.Linear(32, 2)

    def forward(self, obs, hidden):
        hidden = self.cell(obs, hidden)
        return self.head(hidden), hidden


def main():
    env = gym.make("CartPole-v1")
    net = Recurrent()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-4)
    hidden = torch.zeros(1, 32)
    for episode in range(1000):
        obs, _ = env.reset()
        log_probs, total, over = [], 0.0, False
        while not over:
            logits, hidden = net(torch.as_tensor(obs)[None], hidden)
            dist = torch.distributions.Categorical(logits=logits)
            action = dist.sample()
            log_probs.append(dist.log_prob(action))
            obs, reward, terminated, truncated, _ = env.step(action.item())
            total += reward
            over = terminated or truncated
        loss = -total * torch.stack(log_probs).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        hidden = hidden.detach()  # episode-not-reset


if __name__ == "__main__":
    main()
