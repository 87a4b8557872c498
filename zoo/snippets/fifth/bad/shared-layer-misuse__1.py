class Actor(nn.Module):
    def __init__(self, d):
        super().__init__()
        block = nn.Sequential(nn.Linear(d, d), nn.BatchNorm1d(d), nn.ReLU())
        self.blocks = nn.ModuleList([block] * 4)
    def forward(self, x):
        for b in self.blocks:
            x = x + b(x)
        return x
