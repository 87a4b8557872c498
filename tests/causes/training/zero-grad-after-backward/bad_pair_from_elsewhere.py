def run(net, opt, criterion, batches):
    net.train()
    for x, y in batches:
        error = criterion(net(x), y)
        error.backward()
        net.zero_grad()  # zero-grad-after-backward
        opt.step()
        print(error.item())
