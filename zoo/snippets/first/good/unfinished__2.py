>>> net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
>>> opt = torch.optim.SGD(net.parameters(), lr=0.1)
>>> for x, y in loader:
...     opt.zero_grad()
...     loss = nn.CrossEntropyLoss()(net(x), y)
...     loss.backward()
...     opt.step()
>>> loss
tensor(0.3021, grad_fn=<NllLossBackward0>)
