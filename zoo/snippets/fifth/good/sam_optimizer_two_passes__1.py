for x, y in dl:
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    opt.first_step(zero_grad=True)
    F.cross_entropy(model(x), y).backward()
    opt.second_step(zero_grad=True)
