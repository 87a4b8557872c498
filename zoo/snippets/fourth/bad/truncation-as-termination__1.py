import torch


def collect_and_learn(env, q, q_t, buf, opt, gamma=0.99):
    s, _ = env.reset()
    for _ in range(10000):
        a = q.act(s)
        s2, r, term, trunc, _ = env.step(a)
        done = term or trunc
        buf.add(s, a, r, s2, float(done))
        s = env.reset()[0] if done else s2
        bs, ba, br, bs2, bd = buf.sample(64)
        with torch.no_grad():
            y = br + gamma * (1 - bd) * q_t(bs2).max(1).values
        loss = torch.nn.functional.mse_loss(q(bs).gather(1, ba[:, None]).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
