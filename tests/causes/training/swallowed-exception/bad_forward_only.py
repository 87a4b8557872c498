def train(model, loader, opt, crit):
    for epoch in range(10):
        for x, y in loader:
            try:
                out = model(x)
                loss = crit(out, y)
            except Exception as e:  # swallowed-exception
                continue
            opt.zero_grad()
            loss.backward()
            opt.step()
