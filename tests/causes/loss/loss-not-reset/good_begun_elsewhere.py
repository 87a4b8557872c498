"""A total that is begun out of sight: set back on the way, kept by an object of its own, or differentiated."""

for number, (rows, answers) in enumerate(batches):
    opt.zero_grad()
    cost = criterion(net(rows), answers)
    cost.backward()
    opt.step()
    recent += cost
    if number % 100 == 99:
        print(recent / 100)
        recent = 0.0

for rows, answers in batches:
    opt.zero_grad()
    cost = criterion(net(rows), answers)
    cost.backward()
    opt.step()
    meter += cost
print(meter.average())

for rows, answers in batches:
    opt.zero_grad()
    cost = criterion(net(rows), answers)
    cost.backward()
    opt.step()
    total += cost.item()
