class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(1, 32, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 5), nn.ReLU(), nn.Flatten(), nn.LazyLinear(128))
    def forward(self, a, b):
        return self.f(a), self.f(b)

def contrastive(za, zb, same, m=1.0):
    d = F.pairwise_distance(za, zb)
    return (same * d.pow(2) + (1 - same) * F.relu(m - d).pow(2)).mean()

net = Siamese()
opt = torch.optim.Adam(net.parameters(), 1e-4)
for a, b, same in pairs:
    opt.zero_grad()
    loss = contrastive(*net(a, b), same.float())
    loss.backward()
    opt.step()
