obs, _ = env.reset()
for step in range(total_steps):
    a = agent.act(obs)
    next_obs, r, terminated, truncated, _ = env.step(a)
    done = terminated or truncated
    buffer.add(obs, a, r, next_obs, done)
    obs = next_obs
    if done:
        obs, _ = env.reset()
    if step > 1000:
        s, a_, rew, s2, d = buffer.sample(64)
        with torch.no_grad():
            target = rew + 0.99 * (1 - d) * target_net(s2).max(1).values
        q = net(s).gather(1, a_[:, None]).squeeze(1)
        loss = F.mse_loss(q, target)
        opt.zero_grad(); loss.backward(); opt.step()
