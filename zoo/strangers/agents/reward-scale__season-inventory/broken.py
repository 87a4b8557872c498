"""Actor-critic for a 28-day selling season: how much to order each morning.

Money is in cents.  The season has a real end (unsold goods are written off) and the day is part of the observation.
"""
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

DAYS, MAX_STOCK = 28, 30
ORDERS = np.array([0, 3, 6, 9, 12])
PRICE, COST, HOLD, TRIP, LOST = 500, 250, 15, 300, 60
N_ENVS, ITERATIONS, GAMMA = 32, 250, 0.97


class Shops:
    """A batch of independent shops with their own demand."""

    def __init__(self, n, seed):
        self.n, self.rng = n, np.random.default_rng(seed)

    def reset(self):
        self.day = 0
        self.stock = self.rng.integers(0, 10, size=self.n)
        self.phase = self.rng.uniform(0, 2 * np.pi, size=self.n)
        return self._obs()

    def _mean_demand(self):
        return 5.0 + 3.0 * np.sin(2 * np.pi * self.day / 7 + self.phase)

    def _obs(self):
        angle = 2 * np.pi * self.day / 7 + self.phase
        cols = [self.stock / 10 - 1, np.sin(angle), np.cos(angle), np.full(self.n, 2 * self.day / DAYS - 1)]
        return torch.tensor(np.stack(cols, axis=1), dtype=torch.float32)

    def step(self, action):
        order = np.minimum(ORDERS[action], MAX_STOCK - self.stock)
        self.stock = self.stock + order
        demand = self.rng.poisson(self._mean_demand())
        sold = np.minimum(demand, self.stock)
        self.stock = self.stock - sold
        profit = PRICE * sold - COST * order - TRIP * (order > 0) - HOLD * self.stock - LOST * (demand - sold)
        self.day += 1
        terminated = self.day == DAYS
        return self._obs(), profit.astype(np.float32), terminated


class ActorCritic(nn.Module):
    def __init__(self, n_obs=4, n_act=len(ORDERS), width=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_obs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.policy = nn.Linear(width, n_act)
        self.value = nn.Linear(width, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


def play_season(model, shops):
    obs, terminated = shops.reset(), False
    all_obs, all_act, all_rew, income = [], [], [], np.zeros(shops.n)
    while not terminated:
        with torch.no_grad():
            action = model(obs)[0].sample()
        nxt, profit, terminated = shops.step(action.numpy())
        all_obs.append(obs)
        all_act.append(action)
        all_rew.append(torch.from_numpy(profit))
        income += profit
        obs = nxt
    returns, running = [], torch.zeros(shops.n)
    for r in reversed(all_rew):
        running = r + GAMMA * running
        returns.append(running)
    returns.reverse()
    return torch.cat(all_obs), torch.cat(all_act), torch.cat(returns), income.mean()


def evaluate(model, seed, n=200):
    shops = Shops(n, seed)
    obs, terminated, income = shops.reset(), False, np.zeros(n)
    model.eval()
    while not terminated:
        with torch.no_grad():
            action = model(obs)[0].probs.argmax(dim=-1)
        obs, profit, terminated = shops.step(action.numpy())
        income += profit
    model.train()
    return income.mean() / 100


def main():
    torch.manual_seed(0)
    model = ActorCritic()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    shops = Shops(N_ENVS, seed=1)
    print(f"before training: {evaluate(model, seed=900):.2f} euro per season")
    for it in range(1, ITERATIONS + 1):
        obs, act, ret, income = play_season(model, shops)
        dist, value = model(obs)
        adv = ret - value.detach()
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        policy_loss = -(dist.log_prob(act) * adv).mean()
        value_loss = (value - ret).pow(2).mean()
        loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if it % 25 == 0:
            print(f"iter {it:4d}  loss {loss.item():.4g}  value loss {value_loss.item():.4g}  "
                  f"entropy {dist.entropy().mean().item():.3f}  income {income / 100:.2f} euro")
    print(f"greedy policy on 200 fresh seasons: {evaluate(model, seed=901):.2f} euro per season")


if __name__ == "__main__":
    main()
