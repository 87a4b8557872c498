class Pool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w = nn.Linear(d, 1)
    def forward(self, h, mask):
        s = self.w(h).squeeze(-1).masked_fill(~mask, float("-inf"))
        return (s.softmax(dim=1).unsqueeze(-1) * h).sum(1)
