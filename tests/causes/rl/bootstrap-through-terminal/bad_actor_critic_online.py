import gymnasium
import torch as th
from torch import nn as N
from torch.optim import Adam as Opt


class ActorCritic(N.Module):
    def __init__(self):
        super().__init__()
        self.body = N.Linear(8, 64)
        self.pi = N.Linear(64, 4)
        self.v = N.Linear(64, 1)

    def forward(self, x):
        h = th.tanh(self.body(x))
        return th.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def run(episodes=500, discount=0.98):
    env = gymnasium.make("LunarLander-v3")
    net = ActorCritic()
    opt = Opt(net.parameters(), lr=3e-4)
    for _ in range(episodes):
        obs, _info = env.reset()
        over = False
        while not over:
            dist, value = net(th.as_tensor(obs))
            a = dist.sample()
            obs, r, died, timeout, _info = env.step(a.item())
            over = died or timeout
            with th.no_grad():
                _, following = net(th.as_tensor(obs))
            td = r + discount * following - value  # bootstrap-through-terminal
            loss = td.pow(2) - dist.log_prob(a) * td.detach()
            opt.zero_grad()
            loss.backward()
            opt.step()


if __name__ == "__main__":
    run()
