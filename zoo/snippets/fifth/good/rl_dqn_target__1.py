def learn(self):
    s, a, r, s2, d = self.buffer.sample(self.batch)
    with torch.no_grad():
        best = self.online(s2).argmax(1, keepdim=True)
        nxt = self.target(s2).gather(1, best).squeeze(1)
        y = r + self.gamma * (1.0 - d) * nxt
    q = self.online(s).gather(1, a[:, None]).squeeze(1)
    loss = F.smooth_l1_loss(q, y)
    self.opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(self.online.parameters(), 100)
    self.opt.step()
    for pt, p in zip(self.target.parameters(), self.online.parameters()):
        pt.data.mul_(1 - self.tau).add_(self.tau * p.data)
