for step in range(num_steps):
    loss = criterion(policy(states), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for param in policy.parameters():
        param.grad.data.clamp_(-1, 1)  # clip-misplaced
