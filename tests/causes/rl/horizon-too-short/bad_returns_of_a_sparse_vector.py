import torch

T = 500


def rewards_to_go(rewards, gamma):
    out, running = torch.zeros_like(rewards), 0.0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running
        out[t] = running
    return out


rewards = torch.zeros(T)
rewards[-1] = 1.0
policy = torch.nn.Linear(8, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
returns = rewards_to_go(rewards, gamma=0.95)  # horizon-too-short
for epoch in range(50):
    observations = torch.randn(T, 8)
    dist = torch.distributions.Categorical(logits=policy(observations))
    loss = -(dist.log_prob(dist.sample()) * returns).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
