class SelfAttention(nn.Module):
    """why is my attention always uniform?"""
    def __init__(self, d, heads):
        super().__init__()
        self.h = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.o = nn.Linear(d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(b, t, self.h, -1).transpose(1, 2)
        k = k.view(b, t, self.h, -1).transpose(1, 2)
        v = v.view(b, t, self.h, -1).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / (d // self.h) ** 0.5
        att = torch.softmax(scores, dim=0)
        y = (att @ v).transpose(1, 2).reshape(b, t, d)
        return self.o(y)
