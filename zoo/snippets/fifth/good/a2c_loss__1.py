def a2c_loss(dist, actions, returns, values, c_v=0.5, c_e=0.01):
    adv = (returns - values).detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    policy = -(dist.log_prob(actions) * adv).mean()
    value = F.mse_loss(values, returns)
    return policy + c_v * value - c_e * dist.entropy().mean()
