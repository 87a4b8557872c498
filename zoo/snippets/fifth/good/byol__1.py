class BYOL(nn.Module):
    def __init__(self, enc, pred):
        super().__init__()
        self.online = enc
        self.target = copy.deepcopy(enc)
        self.pred = pred
        for p in self.target.parameters():
            p.requires_grad_(False)

    def forward(self, a, b):
        pa, pb = self.pred(self.online(a)), self.pred(self.online(b))
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        return (2 - 2 * F.cosine_similarity(pa, tb, dim=-1)).mean() + (2 - 2 * F.cosine_similarity(pb, ta, dim=-1)).mean()

    @torch.no_grad()
    def momentum(self, m=0.99):
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.data = m * t.data + (1 - m) * o.data
