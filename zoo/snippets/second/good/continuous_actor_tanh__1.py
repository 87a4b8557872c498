import torch
import torch.nn as nn
import torch.nn.functional as F


class Actor(nn.Module):
    def __init__(self, obs, act, limit):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
                                 nn.Linear(256, act), nn.Tanh())
        self.limit = limit

    def forward(self, o):
        return self.limit * self.net(o)


class TD3:
    def __init__(self, actor, actor_t, q1, q2, q1_t, q2_t, limit):
        self.actor, self.actor_t, self.q1, self.q2, self.q1_t, self.q2_t = actor, actor_t, q1, q2, q1_t, q2_t
        self.limit = limit
        self.a_opt = torch.optim.Adam(actor.parameters(), lr=3e-4)
        self.q_opt = torch.optim.Adam([*q1.parameters(), *q2.parameters()], lr=3e-4)

    def update(self, o, a, r, o2, term, step, gamma=0.99, tau=0.005):
        with torch.no_grad():
            noise = (torch.randn_like(a) * 0.2).clamp(-0.5, 0.5) * self.limit
            a2 = (self.actor_t(o2) + noise).clamp(-self.limit, self.limit)
            y = r + gamma * (1 - term) * torch.min(self.q1_t(o2, a2), self.q2_t(o2, a2))
        loss_q = F.mse_loss(self.q1(o, a), y) + F.mse_loss(self.q2(o, a), y)
        self.q_opt.zero_grad()
        loss_q.backward()
        self.q_opt.step()
        if step % 2 == 0:
            loss_a = -self.q1(o, self.actor(o)).mean()
            self.a_opt.zero_grad()
            loss_a.backward()
            self.a_opt.step()
            with torch.no_grad():
                for n, t in ((self.actor, self.actor_t), (self.q1, self.q1_t), (self.q2, self.q2_t)):
                    for p, tp in zip(n.parameters(), t.parameters()):
                        tp.data.mul_(1 - tau).add_(tau * p.data)
