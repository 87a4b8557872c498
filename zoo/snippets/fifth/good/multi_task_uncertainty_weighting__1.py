class Weighted(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.log_var = nn.Parameter(torch.zeros(n))
    def forward(self, losses):
        losses = torch.stack(losses)
        return (losses * torch.exp(-self.log_var) + self.log_var).sum()

weigh = Weighted(2)
opt = torch.optim.Adam([*net.parameters(), *weigh.parameters()], 1e-3)
for x, (y1, y2) in dl:
    a, b = net(x)
    loss = weigh([F.cross_entropy(a, y1), F.mse_loss(b.squeeze(-1), y2)])
    opt.zero_grad()
    loss.backward()
    opt.step()
