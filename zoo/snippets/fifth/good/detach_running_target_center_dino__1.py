class DINOLoss(nn.Module):
    def __init__(self, dim, ts=0.1, tt=0.04):
        super().__init__()
        self.register_buffer("center", torch.zeros(1, dim))
        self.ts, self.tt = ts, tt
    def forward(self, s, t):
        t = F.softmax((t - self.center) / self.tt, dim=-1).detach()
        loss = -(t * F.log_softmax(s / self.ts, dim=-1)).sum(-1).mean()
        self.update(t)
        return loss
    @torch.no_grad()
    def update(self, t):
        self.center = self.center * 0.9 + t.mean(0, keepdim=True) * 0.1
