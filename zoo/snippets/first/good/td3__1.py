import torch
import torch.nn.functional as F


def td3_update(step, data, actor, qf1, qf2, target_actor, qf1_target, qf2_target, q_opt, a_opt, args):
    with torch.no_grad():
        noise = (torch.randn_like(data.actions) * args.policy_noise).clamp(-args.noise_clip, args.noise_clip)
        next_a = (target_actor(data.next_obs) + noise).clamp(-1, 1)
        q_next = torch.min(qf1_target(data.next_obs, next_a), qf2_target(data.next_obs, next_a)).view(-1)
        y = data.rewards.flatten() + (1 - data.terminations.flatten()) * args.gamma * q_next

    q1 = qf1(data.obs, data.actions).view(-1)
    q2 = qf2(data.obs, data.actions).view(-1)
    q_loss = F.mse_loss(q1, y) + F.mse_loss(q2, y)
    q_opt.zero_grad()
    q_loss.backward()
    q_opt.step()

    if step % args.policy_frequency == 0:
        actor_loss = -qf1(data.obs, actor(data.obs)).mean()
        a_opt.zero_grad()
        actor_loss.backward()
        a_opt.step()
        with torch.no_grad():
            for net, tgt in ((actor, target_actor), (qf1, qf1_target), (qf2, qf2_target)):
                for p, tp in zip(net.parameters(), tgt.parameters()):
                    tp.copy_(args.tau * p + (1 - args.tau) * tp)
