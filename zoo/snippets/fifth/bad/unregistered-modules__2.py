class MultiHead(nn.Module):
    def __init__(self, d, tasks):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, 128), nn.ReLU())
        self.heads = {}
        for t, n in tasks.items():
            self.heads[t] = nn.Linear(128, n)

    def forward(self, x, task):
        return self.heads[task](self.trunk(x))
