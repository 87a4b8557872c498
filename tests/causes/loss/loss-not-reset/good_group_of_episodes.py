import torch

optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
batch_loss = 0
for episode in range(1000):
    log_probs, returns = rollout(env, policy)
    batch_loss = batch_loss - (torch.stack(log_probs) * returns).sum()
    if (episode + 1) % 10 == 0:
        optimizer.zero_grad()
        (batch_loss / 10).backward()
        optimizer.step()
        batch_loss = 0
