import copy
import torch
import torch.nn.functional as F


class SAC:
    def __init__(self, actor, critic, gamma=0.99, tau=0.005, alpha=0.2):
        self.actor, self.critic = actor, critic
        self.critic_targ = copy.deepcopy(critic).requires_grad_(False)
        self.pi_opt = torch.optim.Adam(actor.parameters(), 3e-4)
        self.q_opt = torch.optim.Adam(critic.parameters(), 3e-4)
        self.gamma, self.tau, self.alpha = gamma, tau, alpha

    def update(self, o, a, r, o2, d):
        with torch.no_grad():
            a2, logp2 = self.actor(o2)
            q = torch.min(*self.critic_targ(o2, a2))
            backup = r + self.gamma * (1 - d) * (q - self.alpha * logp2)
        q1, q2 = self.critic(o, a)
        q_loss = F.mse_loss(q1, backup) + F.mse_loss(q2, backup)
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()

        for p in self.critic.parameters():
            p.requires_grad = False
        pi, logp = self.actor(o)
        pi_loss = (self.alpha * logp - torch.min(*self.critic(o, pi))).mean()
        self.pi_opt.zero_grad()
        pi_loss.backward()
        self.pi_opt.step()
        for p in self.critic.parameters():
            p.requires_grad = True

        with torch.no_grad():
            for p, pt in zip(self.critic.parameters(), self.critic_targ.parameters()):
                pt.mul_(1 - self.tau).add_(self.tau * p)
