def finish(policy, opt):
    R, returns = 0, deque()
    for r in policy.rewards[::-1]:
        R = r + gamma * R
        returns.appendleft(R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    loss = torch.cat([-lp * R for lp, R in zip(policy.saved_log_probs, returns)]).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    del policy.rewards[:]
    del policy.saved_log_probs[:]
