import torch
import torch.nn.functional as F


def sac_update(batch, actor, q1, q2, q1_t, q2_t, log_alpha, opts, gamma=0.99, tau=0.005, target_entropy=-6.0):
    obs, act, rew, next_obs, terminated = batch
    with torch.no_grad():
        a2, logp2 = actor.sample(next_obs)
        q_next = torch.min(q1_t(next_obs, a2), q2_t(next_obs, a2)) - log_alpha.exp() * logp2
        y = rew + gamma * (1.0 - terminated) * q_next

    q_loss = F.mse_loss(q1(obs, act), y) + F.mse_loss(q2(obs, act), y)
    opts["q"].zero_grad()
    q_loss.backward()
    opts["q"].step()

    a, logp = actor.sample(obs)
    q_pi = torch.min(q1(obs, a), q2(obs, a))
    pi_loss = (log_alpha.exp().detach() * logp - q_pi).mean()
    opts["pi"].zero_grad()
    pi_loss.backward()
    opts["pi"].step()

    alpha_loss = -(log_alpha.exp() * (logp.detach() + target_entropy)).mean()
    opts["alpha"].zero_grad()
    alpha_loss.backward()
    opts["alpha"].step()

    with torch.no_grad():
        for net, tgt in ((q1, q1_t), (q2, q2_t)):
            for p, tp in zip(net.parameters(), tgt.parameters()):
                tp.lerp_(p, tau)
    return q_loss.item(), pi_loss.item(), alpha_loss.item()
