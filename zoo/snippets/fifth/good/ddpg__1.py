class DDPG:
    def __init__(self, o, a):
        self.actor = nn.Sequential(nn.Linear(o, 256), nn.ReLU(), nn.Linear(256, a), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(o + a, 256), nn.ReLU(), nn.Linear(256, 1))
        self.actor_t, self.critic_t = copy.deepcopy(self.actor), copy.deepcopy(self.critic)
        self.ao = torch.optim.Adam(self.actor.parameters(), 1e-4)
        self.co = torch.optim.Adam(self.critic.parameters(), 1e-3)
    def update(self, s, a, r, s2, term):
        with torch.no_grad():
            q2 = self.critic_t(torch.cat([s2, self.actor_t(s2)], -1)).squeeze(-1)
            y = r + 0.99 * (1 - term) * q2
        q = self.critic(torch.cat([s, a], -1)).squeeze(-1)
        cl = F.mse_loss(q, y)
        self.co.zero_grad()
        cl.backward()
        self.co.step()
        al = -self.critic(torch.cat([s, self.actor(s)], -1)).mean()
        self.ao.zero_grad()
        al.backward()
        self.ao.step()
        for n, t in ((self.actor, self.actor_t), (self.critic, self.critic_t)):
            for p, q in zip(n.parameters(), t.parameters()):
                q.data.copy_(0.005 * p.data + 0.995 * q.data)
