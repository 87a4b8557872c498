def update_policy(policy, optimizer, log_probs, returns):
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = 0
    for lp, R in zip(log_probs, returns):
        loss += lp * R
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
