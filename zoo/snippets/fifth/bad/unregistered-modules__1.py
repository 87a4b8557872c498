class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = [nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:])]
        self.out = nn.Linear(sizes[-1], 1)

    def forward(self, x):
        for l in self.layers:
            x = torch.relu(l(x))
        return self.out(x)
