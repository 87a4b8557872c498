net = nn.Sequential(nn.Conv2d(3, 32, 3), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 16), nn.BatchNorm1d(16), nn.Linear(16, 2))
loader = DataLoader(train_ds, batch_size=1, shuffle=True)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
net.train()
for x, y in loader:
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    opt.step()
