class Gauss(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, 2))
    def forward(self, x):
        mu, raw = self.body(x).chunk(2, -1)
        return mu, F.softplus(raw) + 1e-6
net = Gauss(8)
opt = torch.optim.Adam(net.parameters(), 1e-3)
for x, y in dl:
    mu, var = net(x)
    loss = (0.5 * torch.log(var) + 0.5 * (y.unsqueeze(-1) - mu) ** 2 / var).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
