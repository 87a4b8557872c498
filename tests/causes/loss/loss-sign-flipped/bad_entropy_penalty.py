import torch
import torch.nn.functional as F
from torch.distributions import Categorical


def update(policy, value, opt, obs, actions, returns):
    dist = Categorical(logits=policy(obs))
    guess = value(obs).squeeze(-1)
    advantage = (returns - guess).detach()
    actor = -(dist.log_prob(actions) * advantage).mean()
    loss = actor + 0.5 * F.mse_loss(guess, returns) + 0.01 * dist.entropy().mean()  # loss-sign-flipped
    opt.zero_grad()
    loss.backward()
    opt.step()


def reinforce(policy, opt, obs, actions, rewards):
    logp = F.log_softmax(policy(obs), dim=-1)
    chosen = torch.gather(logp, 1, actions.unsqueeze(1)).squeeze(1)
    loss = (chosen * rewards).mean()  # loss-sign-flipped
    opt.zero_grad()
    loss.backward()
    opt.step()
