class PatchEmbed(nn.Module):
    def __init__(self, p, d):
        super().__init__()
        self.p = p
        self.proj = nn.Linear(3 * p * p, d)
    def forward(self, img):
        b, c, h, w = img.shape
        x = img.permute(1, 0, 2, 3)
        x = x.reshape(b, -1, 3 * self.p * self.p)
        return self.proj(x)
