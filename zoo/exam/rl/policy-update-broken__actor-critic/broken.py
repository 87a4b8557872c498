import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(81)
CONTEXTS, ACTIONS, BATCH = 8, 4, 64
best_action = torch.randint(0, ACTIONS, (CONTEXTS,))


class ActorCritic(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(CONTEXTS, h), nn.Tanh())
        self.pi, self.v = nn.Linear(h, ACTIONS), nn.Linear(h, 1)

    def forward(self, obs):
        z = self.body(obs)
        return Categorical(logits=self.pi(z)), self.v(z).squeeze(-1)


def play(ctx, act):
    return (act == best_action[ctx]).float() + 0.1 * torch.randn(len(ctx))


def losses(net, ctx):
    dist, value = net(nn.functional.one_hot(ctx, CONTEXTS).float())
    act = dist.sample()
    reward = play(ctx, act)
    adv = (reward - value).detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    policy = -(dist.log_prob(dist.sample()) * adv).mean()
    critic = (value - reward).pow(2).mean()
    return policy, critic, dist.entropy().mean(), reward.mean()


net = ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for it in range(1, 401):
    policy, critic, ent, rew = losses(net, torch.randint(0, CONTEXTS, (BATCH,)))
    loss = policy + 0.5 * critic - 0.005 * ent
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    if it % 80 == 0:
        print(f"it {it} reward {rew.item():.3f} critic {critic.item():.3f} entropy {ent.item():.3f}")
with torch.no_grad():
    ctx = torch.arange(CONTEXTS).repeat(50)
    act = net(nn.functional.one_hot(ctx, CONTEXTS).float())[0].sample()
print(f"mean reward {(act == best_action[ctx]).float().mean():.3f}")
