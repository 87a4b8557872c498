import torch
import torch.nn.functional as F


def n_step_update(model, opt, traj, last_obs, last_terminated, gamma=0.99):
    obs = torch.stack(traj["obs"])
    act = torch.tensor(traj["act"])
    dist, value = model(obs)
    value = value.squeeze(-1)
    with torch.no_grad():
        R = torch.zeros(()) if last_terminated else model(last_obs)[1].squeeze()
        returns = []
        for r in reversed(traj["rew"]):
            R = r + gamma * R
            returns.append(R)
        returns = torch.stack(returns[::-1])
    advantage = returns - value
    actor_loss = -(dist.log_prob(act) * advantage.detach()).mean()
    critic_loss = F.smooth_l1_loss(value, returns)
    loss = actor_loss + 0.5 * critic_loss - 0.01 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
