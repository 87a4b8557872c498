class DQN:
    def __init__(self, q, lr):
        self.q = q
        self.q_t = copy.deepcopy(q).eval().requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr)
    def update(self, b):
        with torch.no_grad():
            y = b.r + 0.99 * (~b.term).float() * self.q_t(b.s2).amax(1)
        q = self.q(b.s).gather(1, b.a.unsqueeze(1)).squeeze(1)
        loss = F.huber_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            for a, t in zip(self.q.parameters(), self.q_t.parameters()):
                t.lerp_(a, 0.005)
