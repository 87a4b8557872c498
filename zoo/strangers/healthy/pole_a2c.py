# advantage actor critic, vectorised pole balancing written out in torch
import math
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(11)

B = 16          # parallel poles
T = 32          # rollout length
GAMMA, LAM = 0.98, 0.95
LIMIT = 200


class Poles:
    def __init__(self, n):
        self.n = n
        self.s = torch.empty(n, 4).uniform_(-0.05, 0.05)
        self.age = torch.zeros(n)

    def step(self, a):
        x, v, th, om = self.s.unbind(1)
        f = torch.where(a == 1, 10.0, -10.0)
        c, s = th.cos(), th.sin()
        tmp = (f + 0.05 * om**2 * s) / 1.1
        tha = (9.8 * s - c * tmp) / (0.5 * (4 / 3 - 0.1 * c**2 / 1.1))
        xa = tmp - 0.05 * tha * c / 1.1
        self.s = torch.stack([x + 0.02 * v, v + 0.02 * xa, th + 0.02 * om, om + 0.02 * tha], 1)
        self.age += 1
        fell = (self.s[:, 0].abs() > 2.4) | (self.s[:, 2].abs() > 12 * math.pi / 180)
        timeout = (self.age >= LIMIT) & ~fell
        last_obs = self.s.clone()
        over = fell | timeout
        lengths = self.age[over].tolist()
        self.s[over] = torch.empty(int(over.sum()), 4).uniform_(-0.05, 0.05)
        self.age[over] = 0
        return last_obs, fell.float(), over.float(), lengths


scale = torch.tensor([1.2, 1.0, 0.1, 1.0])
actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 1))
nn.init.orthogonal_(actor[-1].weight, 0.01)
opt = torch.optim.Adam([{"params": actor.parameters(), "lr": 2e-3}, {"params": critic.parameters(), "lr": 5e-3}])


@torch.no_grad()
def exam(n=50):
    env = Poles(n)
    alive, total = torch.ones(n), torch.zeros(n)
    for _ in range(LIMIT):
        a = actor(env.s / scale).argmax(-1)
        _, _, over, _ = env.step(a)
        total += alive
        alive = alive * (1 - over)
        if alive.sum() == 0:
            break
    return total.mean().item(), total.min().item()


env = Poles(B)
recent = []
UPDATES = 250
for u in range(1, UPDATES + 1):
    for g, base in zip(opt.param_groups, (2e-3, 5e-3)):
        g["lr"] = base * (1 - 0.9 * u / UPDATES)
    obs, nxt, act, fell, over = [], [], [], [], []
    with torch.no_grad():
        for _ in range(T):
            o = env.s / scale
            a = Categorical(logits=actor(o)).sample()
            n, f, d, lens = env.step(a)
            obs.append(o); nxt.append(n / scale); act.append(a); fell.append(f); over.append(d)
            recent += lens
    recent = recent[-64:]
    obs, nxt, act, fell, over = map(torch.stack, (obs, nxt, act, fell, over))

    with torch.no_grad():
        v, vn = critic(obs).squeeze(-1), critic(nxt).squeeze(-1)
        delta = 0.1 + GAMMA * vn * (1 - fell) - v     # reward 0.1 per surviving tick
        adv, run = torch.zeros_like(delta), torch.zeros(B)
        for t in reversed(range(T)):
            run = delta[t] + GAMMA * LAM * (1 - over[t]) * run
            adv[t] = run
        ret = adv + v
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)

    pi = Categorical(logits=actor(obs))
    l_pi = -(pi.log_prob(act) * adv).mean()
    l_v = (critic(obs).squeeze(-1) - ret).pow(2).mean()
    ent = pi.entropy().mean()
    opt.zero_grad(set_to_none=True)
    (l_pi + 0.5 * l_v - 0.005 * ent).backward()
    nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
    nn.utils.clip_grad_norm_(critic.parameters(), 0.5)
    opt.step()

    if u % 25 == 0:
        m = sum(recent) / max(1, len(recent))
        ev, worst = exam()
        print(f"update {u:3d}: episode length {m:6.1f}, entropy {ent.item():.3f}, value mse {l_v.item():.3f}"
              f"  || greedy {ev:6.1f} (worst {worst:.0f})")

mean, worst = exam(200)
print("greedy policy over 200 fresh poles: mean %.1f / %d, worst %d" % (mean, LIMIT, worst))
