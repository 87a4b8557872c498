import torch


def compute_returns(rewards, terminated, last_value, gamma=0.99):
    out = torch.zeros_like(rewards)
    run = last_value
    for t in reversed(range(len(rewards))):
        run = rewards[t] + gamma * run * (1 - terminated[t])
        out[t] = run
    return out


def a2c_update(model, optimizer, batch, ent_coef=0.01, vf_coef=0.5):
    rewards = batch["rewards"]
    rewards = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
    with torch.no_grad():
        last = model.value(batch["last_obs"]) * (1 - batch["terminated"][-1])
    returns = compute_returns(rewards, batch["terminated"], last)
    dist, values = model(batch["obs"])
    adv = returns - values.detach()
    policy_loss = -(dist.log_prob(batch["actions"]) * adv).mean()
    value_loss = (returns - values).pow(2).mean()
    loss = policy_loss + vf_coef * value_loss - ent_coef * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
