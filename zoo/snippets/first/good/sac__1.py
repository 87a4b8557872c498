import numpy as np
import torch
import torch.nn.functional as F


class SAC:
    def __init__(self, actor, q1, q2, q1_t, q2_t, act_dim, lr=3e-4, gamma=0.99):
        self.actor, self.q1, self.q2, self.q1_t, self.q2_t, self.gamma = actor, q1, q2, q1_t, q2_t, gamma
        self.q_opt = torch.optim.Adam(list(q1.parameters()) + list(q2.parameters()), lr=lr)
        self.a_opt = torch.optim.Adam(actor.parameters(), lr=lr)
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.alpha_opt = torch.optim.Adam([self.log_alpha], lr=lr)
        self.target_entropy = -float(np.prod(act_dim))

    def update(self, s, a, r, s2, term):
        alpha = self.log_alpha.exp().item()
        with torch.no_grad():
            a2, logp2 = self.actor.sample(s2)
            q_min = torch.min(self.q1_t(s2, a2), self.q2_t(s2, a2)) - alpha * logp2
            y = r + (1 - term) * self.gamma * q_min
        q_loss = F.mse_loss(self.q1(s, a), y) + F.mse_loss(self.q2(s, a), y)
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()

        pi, logp = self.actor.sample(s)
        pi_loss = (alpha * logp - torch.min(self.q1(s, pi), self.q2(s, pi))).mean()
        self.a_opt.zero_grad()
        pi_loss.backward()
        self.a_opt.step()

        alpha_loss = -(self.log_alpha.exp() * (logp.detach() + self.target_entropy)).mean()
        self.alpha_opt.zero_grad()
        alpha_loss.backward()
        self.alpha_opt.step()
