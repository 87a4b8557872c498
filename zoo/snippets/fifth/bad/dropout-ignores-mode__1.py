class Block(nn.Module):
    def __init__(self, d, p=0.3):
        super().__init__()
        self.fc1 = nn.Linear(d, 4 * d)
        self.fc2 = nn.Linear(4 * d, d)
        self.p = p

    def forward(self, x):
        h = F.gelu(self.fc1(x))
        h = F.dropout(h, p=self.p)
        return x + self.fc2(h)
