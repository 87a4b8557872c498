import torch

q_opt = torch.optim.Adam(critic.parameters(), lr=3e-4)
pi_opt = torch.optim.Adam(actor.parameters(), lr=3e-4)
alpha_opt = torch.optim.Adam([log_alpha], lr=3e-4)
for batch in replay:
    q_loss, pi_loss, alpha_loss = losses(actor, critic, log_alpha, batch)
    q_opt.zero_grad()
    q_loss.backward(retain_graph=True)
    q_opt.step()
    pi_opt.zero_grad()
    pi_loss.backward()
    pi_opt.step()
    alpha_opt.zero_grad()
    alpha_loss.backward()
    alpha_opt.step()
