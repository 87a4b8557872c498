dist = Categorical(logits=pi(obs))
loss = -(dist.log_prob(act) * adv).mean() - 0.01 * dist.entropy().mean() + 0.5 * F.mse_loss(vf(obs).squeeze(-1), ret)
opt.zero_grad(); loss.backward(); opt.step()
