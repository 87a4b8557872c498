crit = nn.CrossEntropyLoss(reduction="sum")
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for x, y in DataLoader(ds, batch_size=256, shuffle=True):
    opt.zero_grad()
    loss = crit(net(x), y)
    loss.backward()
    opt.step()
