def one_pass(net, batches, criterion, opt):
    global seen_cost
    for rows, answers in batches:
        opt.zero_grad()
        cost = criterion(net(rows), answers)
        cost.backward()
        opt.step()
        seen_cost += cost  # loss-not-reset
    print(f"{seen_cost / len(batches):.3f}")
