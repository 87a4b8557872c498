class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.n = nn.LayerNorm(d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        nn.init.zeros_(self.down.weight)
        nn.init.zeros_(self.down.bias)
    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.n(x))))
