def validate(net, loader, crit):
    net.eval()
    total = 0
    for x, y in loader:
        out = net(x.cuda())
        total += crit(out, y.cuda())
    return total / len(loader)

for epoch in range(20):
    net.train()
    for x, y in tl:
        opt.zero_grad()
        crit(net(x.cuda()), y.cuda()).backward()
        opt.step()
    print(validate(net, vl, crit))
