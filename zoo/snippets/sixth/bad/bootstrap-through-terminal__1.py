def update(policy_net, target_net, optimizer, memory, batch_size=128, gamma=0.99):
    if len(memory) < batch_size:
        return None
    transitions = memory.sample(batch_size)
    batch = Transition(*zip(*transitions))

    state = torch.stack(batch.state).to(device)
    action = torch.tensor(batch.action, device=device).unsqueeze(1)
    reward = torch.tensor(batch.reward, device=device, dtype=torch.float32)
    next_state = torch.stack(batch.next_state).to(device)
    done = torch.tensor(batch.done, device=device, dtype=torch.float32)

    q = policy_net(state).gather(1, action).squeeze(1)
    with torch.no_grad():
        next_q = target_net(next_state).max(1)[0]
        expected_q = reward + gamma * next_q

    loss = F.smooth_l1_loss(q, expected_q)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    return loss.item()
