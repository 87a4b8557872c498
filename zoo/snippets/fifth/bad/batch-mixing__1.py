class Conv1dOnSeq(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.conv = nn.Conv1d(d, d, 3, padding=1)
    def forward(self, x):
        # x: (batch, time, features) -> (batch, features, time)
        b, t, f = x.shape
        x = x.view(b, f, t)
        x = self.conv(x)
        return x.transpose(1, 2)
