# iris, 3 classes, accuracy stuck at 33%
y = torch.tensor(iris.target, dtype=torch.float32).unsqueeze(1)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for i in range(500):
    opt.zero_grad()
    out = net(X)
    loss = nn.MSELoss()(out, y)
    loss.backward()
    opt.step()
acc = (net(X).round() == y).float().mean()
