class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(784, 256)
        self.b = nn.Linear(256, 10)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.zeros_(m.weight)
                nn.init.zeros_(m.bias)
    def forward(self, x):
        return self.b(F.relu(self.a(x)))
