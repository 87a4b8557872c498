class LoRA(nn.Module):
    def __init__(self, base, r=8):
        super().__init__()
        self.base = base
        for p in base.parameters():
            p.requires_grad = False
        self.a = nn.Linear(base.in_features, r, bias=False)
        self.b = nn.Linear(r, base.out_features, bias=False)
        nn.init.zeros_(self.b.weight)
    def forward(self, x):
        return self.base(x) + self.b(self.a(x)) * 2
