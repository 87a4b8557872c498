import torch
import torch.nn.functional as F


def update(actor, critic, actor_opt, critic_opt, batch, gamma=0.99):
    obs, act, rew, nxt, done = batch
    with torch.no_grad():
        target = rew + gamma * (1 - done) * critic(nxt).squeeze(-1)
    value = critic(obs).squeeze(-1)
    critic_loss = F.mse_loss(value, target)
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()
    advantage = (target - value).detach()
    actor_loss = -(actor(obs).log_prob(act) * advantage).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()


def temperature(log_alpha, log_pi, target_entropy, opt):
    alpha_loss = -(log_alpha * (log_pi + target_entropy).detach()).mean()
    opt.zero_grad()
    alpha_loss.backward()
    opt.step()
