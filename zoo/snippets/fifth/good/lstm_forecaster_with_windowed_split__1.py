series = torch.tensor(df["kw"].values, dtype=torch.float32)
split = int(0.8 * len(series))
mean, std = series[:split].mean(), series[:split].std()
series = (series - mean) / std
def windows(s, w=24):
    x = s.unfold(0, w, 1)[:-1].unsqueeze(-1)
    return x, s[w:]
train = TensorDataset(*windows(series[:split]))
test = TensorDataset(*windows(series[split:]))
net = LSTMNet()
opt = torch.optim.Adam(net.parameters())
for epoch in range(20):
    for x, y in DataLoader(train, 64, shuffle=True):
        opt.zero_grad()
        loss = F.mse_loss(net(x).squeeze(-1), y)
        loss.backward()
        opt.step()
