"""PPO on a batched cart-pole written in torch."""
import math
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.distributions import Categorical


@dataclass
class Hyper:
    envs: int = 32
    horizon: int = 64
    iterations: int = 45
    passes: int = 4
    minibatch: int = 512
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    lr: float = 3e-3
    entropy: float = 0.005
    seed: int = 10
    hidden: tuple = field(default=(48, 48))


class CartPoles:
    LIMIT = 300

    def __init__(self, n, gen):
        self.n, self.gen = n, gen
        self.state = self.fresh(n)
        self.age = torch.zeros(n)

    def fresh(self, n):
        return torch.rand(n, 4, generator=self.gen) * 0.1 - 0.05

    def step(self, action):
        x, v, th, om = self.state.unbind(1)
        force = action.float() * 20 - 10
        tmp = (force + 0.05 * om ** 2 * th.sin()) / 1.1
        alpha = (9.8 * th.sin() - th.cos() * tmp) / (0.5 * (4 / 3 - 0.1 * th.cos() ** 2 / 1.1))
        acc = tmp - 0.05 * alpha * th.cos() / 1.1
        dt = 0.02
        self.state = torch.stack([x + dt * v, v + dt * acc, th + dt * om, om + dt * alpha], 1)
        self.age += 1
        fell = (self.state[:, 0].abs() > 2.4) | (self.state[:, 2].abs() > 12 * math.pi / 180)
        done = fell | (self.age >= self.LIMIT)
        lengths = self.age[done].tolist()
        if done.any():
            self.state[done] = self.fresh(int(done.sum()))
            self.age[done] = 0
        return self.state.clone(), torch.ones(self.n), done.float(), lengths


def mlp(sizes, out, scale):
    layers, last = [], 4
    for s in sizes:
        layers += [nn.Linear(last, s), nn.Tanh()]
        last = s
    tail = nn.Linear(last, out)
    nn.init.orthogonal_(tail.weight, scale)
    nn.init.zeros_(tail.bias)
    return nn.Sequential(*layers, tail)


@torch.no_grad()
def greedy_length(actor, seed, episodes=20):
    env = CartPoles(episodes, torch.Generator().manual_seed(seed))
    first = torch.full((episodes,), float("nan"))
    obs = env.state.clone()
    for t in range(1, CartPoles.LIMIT + 1):
        obs, _, done, _ = env.step(actor(obs).argmax(1))
        first = torch.where((done > 0) & first.isnan(), torch.tensor(float(t)), first)
    return first.mean().item()


def main(hp=Hyper()):
    torch.manual_seed(hp.seed)
    env = CartPoles(hp.envs, torch.Generator().manual_seed(hp.seed))
    actor, critic = mlp(hp.hidden, 2, 0.01), mlp(hp.hidden, 1, 1.0)
    opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=hp.lr)
    obs, recent = env.state.clone(), []
    for it in range(1, hp.iterations + 1):
        opt.param_groups[0]["lr"] = hp.lr * (1 - (it - 1) / hp.iterations)
        O, A, LP, R, D, V = [], [], [], [], [], []
        with torch.no_grad():
            for _ in range(hp.horizon):
                pi = Categorical(logits=actor(obs))
                a = pi.sample()
                O.append(obs), A.append(a), LP.append(pi.log_prob(a)), V.append(critic(obs).squeeze(1))
                obs, r, done, lengths = env.step(a)
                R.append(r * 0.1), D.append(done)
                recent = (recent + lengths)[-60:]
            V.append(critic(obs).squeeze(1))
            adv, run = [None] * hp.horizon, torch.zeros(hp.envs)
            for t in reversed(range(hp.horizon)):
                delta = R[t] + hp.gamma * V[t + 1] * (1 - D[t]) - V[t]
                run = delta + hp.gamma * hp.lam * (1 - D[t]) * run
                adv[t] = run
        adv = torch.cat(adv)
        O, A, LP, ret = torch.cat(O), torch.cat(A), torch.cat(LP), adv + torch.cat(V[:-1])
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(hp.passes):
            for idx in torch.randperm(len(O)).split(hp.minibatch):
                pi = Categorical(logits=actor(O[idx]))
                ratio = (pi.log_prob(A[idx]) - LP[idx]).exp()
                gain = torch.min(ratio * adv[idx], ratio.clamp(1 - hp.clip, 1 + hp.clip) * adv[idx]).mean()
                v_loss = (critic(O[idx]).squeeze(1) - ret[idx]).pow(2).mean()
                loss = -gain + 0.5 * v_loss - hp.entropy * pi.entropy().mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters()], 0.5)
                opt.step()
        if it % 5 == 0:
            print(f"iter {it:3d} | policy {-gain.item():+.4f} value {v_loss.item():.4f} "
                  f"entropy {pi.entropy().mean().item():.3f} | mean episode {sum(recent) / max(len(recent), 1):.0f} "
                  f"| greedy {greedy_length(actor, 999):.0f}/{CartPoles.LIMIT}")
    print(f"greedy episode length from unseen starts: {greedy_length(actor, 12345, 50):.1f} of {CartPoles.LIMIT}")


if __name__ == "__main__":
    main()
