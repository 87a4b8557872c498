opt = torch.optim.LBFGS(net.parameters(), lr=1, max_iter=20, line_search_fn="strong_wolfe")
for epoch in range(50):
    def closure():
        opt.zero_grad()
        u = net(xc)
        du = torch.autograd.grad(u, xc, torch.ones_like(u), create_graph=True)[0]
        loss = (du + u).pow(2).mean() + (net(x0) - 1).pow(2).mean()
        loss.backward()
        return loss
    loss = opt.step(closure)
    print(epoch, loss.item())
