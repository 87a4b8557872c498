# one-step decisions: each context is an episode of length one, there is nothing to discount
import torch
import torch.nn as nn

torch.manual_seed(0)
GAMMA = 0.0
policy = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 6))
opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
baseline = 0.0
for step in range(20_000):
    ctx = sample_contexts(64)
    probs = torch.softmax(policy(ctx), dim=-1)
    arm = torch.multinomial(probs, 1).squeeze(1)
    reward = pull(ctx, arm)
    logp = torch.log_softmax(policy(ctx), dim=-1).gather(1, arm.unsqueeze(1)).squeeze(1)
    loss = -(logp * (reward - baseline)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    baseline = 0.99 * baseline + 0.01 * reward.mean().item()
