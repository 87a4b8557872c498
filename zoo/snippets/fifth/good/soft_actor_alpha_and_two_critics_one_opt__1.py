q_opt = torch.optim.Adam([*q1.parameters(), *q2.parameters()], lr=3e-4)
with torch.no_grad():
    a2, lp2 = pi.sample(s2)
    tgt = r + gamma * (1 - term) * (torch.min(q1t(s2, a2), q2t(s2, a2)) - alpha * lp2)
ql = F.mse_loss(q1(s, a), tgt) + F.mse_loss(q2(s, a), tgt)
q_opt.zero_grad()
ql.backward()
q_opt.step()
