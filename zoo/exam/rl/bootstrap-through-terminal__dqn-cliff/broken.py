import copy
import random
from collections import deque, namedtuple

import torch
from torch import nn

random.seed(5)
torch.manual_seed(5)
Step = namedtuple("Step", "s a r s2 done")


class Line:
    """Cells 0..5: leaving at 0 pays 0.2, leaving at 5 pays 1, every move costs a little."""

    n = 6

    def reset(self):
        self.p = random.randint(1, 4)
        return self.p

    def step(self, a):
        self.p += 1 if a else -1
        done = self.p in (0, 5)
        return self.p, {0: 0.2, 5: 1.0}.get(self.p, -0.02), done


def one_hot(s):
    return nn.functional.one_hot(torch.as_tensor(s), Line.n).float()


class Agent:
    def __init__(self, gamma=0.95):
        self.q = nn.Sequential(nn.Linear(Line.n, 32), nn.ReLU(), nn.Linear(32, 2))
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=3e-3)
        self.buffer, self.gamma = deque(maxlen=2000), gamma

    def act(self, s, eps):
        if random.random() < eps:
            return random.randint(0, 1)
        with torch.no_grad():
            return self.q(one_hot(s)).argmax().item()

    def learn(self, n=32):
        batch = Step(*zip(*random.sample(self.buffer, n)))
        r, done = torch.tensor(batch.r), torch.tensor(batch.done).float()
        with torch.no_grad():
            best = self.target(one_hot(batch.s2)).max(1).values
            goal = r + self.gamma * best
        q = self.q(one_hot(batch.s)).gather(1, torch.tensor(batch.a).unsqueeze(1)).squeeze(1)
        loss = nn.functional.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


env, agent, losses = Line(), Agent(), []
s = env.reset()
for t in range(1, 1801):
    a = agent.act(s, eps=max(0.2, 1 - t / 900))
    s2, r, done = env.step(a)
    agent.buffer.append(Step(s, a, r, s2, done))
    s = env.reset() if done else s2
    if len(agent.buffer) >= 64:
        losses.append(agent.learn())
    if t % 50 == 0:
        agent.target.load_state_dict(agent.q.state_dict())
    if t % 300 == 0:
        print(f"t {t} td loss {sum(losses[-100:]) / 100:.4f} q(4) {agent.q(one_hot(4)).max().item():.3f}")
exact = {4: 1.0, 3: 0.93, 2: 0.8635, 1: 0.8003}
with torch.no_grad():
    err = sum(abs(agent.q(one_hot(p)).max().item() - v) for p, v in exact.items()) / 4
print(f"value error {err:.3f}")
