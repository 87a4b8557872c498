x = torch.rand(1000, 1, requires_grad=True)
for it in range(5000):
    opt.zero_grad()
    u = net(x)
    ux = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
    uxx = torch.autograd.grad(ux.sum(), x, create_graph=True)[0]
    res = (uxx + math.pi ** 2 * torch.sin(math.pi * x)).pow(2).mean()
    bc = net(torch.tensor([[0.0], [1.0]])).pow(2).mean()
    (res + 100 * bc).backward()
    opt.step()
