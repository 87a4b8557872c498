def dqn_update(batch, q_net, optimizer, gamma=0.99):
    s, a, r, s2, done = batch
    q = q_net(s).gather(1, a.unsqueeze(1)).squeeze(1)
    q_next = q_net(s2).max(1)[0]
    target = r + gamma * q_next * (1 - done)
    loss = F.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
