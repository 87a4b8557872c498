"""Clipped policy gradient (PPO) with generalised advantages on eight CartPoles at once.

Time-limit truncation bootstraps from the value of the last observation, true termination does not. Advantages are
detached and centred, actor and critic have their own optimizers and rates, and the critic is fitted several times.
"""
import gymnasium as gym
import numpy as np
import torch
from torch import nn

SEED, ENVS, ROLLOUT, UPDATES, GAMMA, LAM = 1, 8, 32, 150, 0.98, 0.95
SCALE = torch.tensor([2.4, 2.0, 0.21, 2.0])  # fixed, physical scales of the four observations


def net(n_out, gain):
    layers = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n_out))
    nn.init.orthogonal_(layers[-1].weight, gain)
    nn.init.zeros_(layers[-1].bias)
    return layers


def scaled(obs):
    return torch.as_tensor(np.asarray(obs), dtype=torch.float32) / SCALE


class Runner:
    """Steps the environments by hand, so that what happens at an episode's end is in plain sight."""

    def __init__(self):
        self.envs = [gym.make("CartPole-v1") for _ in range(ENVS)]
        self.obs = np.stack([e.reset(seed=SEED * 1000 + i)[0] for i, e in enumerate(self.envs)])
        self.length = np.zeros(ENVS, dtype=int)
        self.finished = []

    def collect(self, actor, critic):
        obs, acts, logps, nexts = [], [], [], []
        ends = torch.zeros(ROLLOUT, ENVS)
        dead = torch.zeros(ROLLOUT, ENVS)
        for t in range(ROLLOUT):
            x = scaled(self.obs)
            with torch.no_grad():
                dist = torch.distributions.Categorical(logits=actor(x))
            a = dist.sample()
            obs.append(x), acts.append(a), logps.append(dist.log_prob(a))
            after = np.empty_like(self.obs)
            for i, env in enumerate(self.envs):
                nxt, _, terminated, truncated, _ = env.step(int(a[i]))
                after[i] = nxt
                self.obs[i] = nxt
                self.length[i] += 1
                dead[t, i], ends[t, i] = float(terminated), float(terminated or truncated)
                if terminated or truncated:
                    self.finished.append(int(self.length[i]))
                    self.length[i] = 0
                    self.obs[i], _ = env.reset()
            nexts.append(scaled(after))  # the true successor, before any reset
        obs, nexts = torch.stack(obs), torch.stack(nexts)
        with torch.no_grad():
            v, v_next = critic(obs).squeeze(-1), critic(nexts).squeeze(-1)
        reward = 0.1  # constant per step by the task's definition, scaled so that returns stay below 5
        delta = reward + GAMMA * (1 - dead) * v_next - v
        adv, carry = torch.zeros_like(v), torch.zeros(ENVS)
        for t in reversed(range(ROLLOUT)):
            carry = delta[t] + GAMMA * LAM * (1 - ends[t]) * carry
            adv[t] = carry
        return obs.flatten(0, 1), torch.stack(acts).flatten(), torch.stack(logps).flatten(), adv.flatten(), (adv + v).flatten()


def play(actor, episodes=20):
    env, lengths = gym.make("CartPole-v1"), []
    for k in range(episodes):
        obs, _ = env.reset(seed=90_000 + k)
        done, n = False, 0
        while not done:
            with torch.no_grad():
                a = int(actor(scaled(obs)).argmax())
            obs, _, term, trunc, _ = env.step(a)
            done, n = term or trunc, n + 1
        lengths.append(n)
    return float(np.mean(lengths))


def main():
    torch.manual_seed(SEED)
    np.random.seed(SEED)
    actor, critic = net(2, 0.01), net(1, 1.0)
    opt_a, opt_c = torch.optim.Adam(actor.parameters(), lr=1e-3), torch.optim.Adam(critic.parameters(), lr=2e-3)
    runner = Runner()
    for update in range(1, UPDATES + 1):
        opt_a.param_groups[0]["lr"] = 1e-3 * (1 - 0.95 * update / UPDATES)
        obs, act, old, adv, ret = runner.collect(actor, critic)
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        for _ in range(6):
            dist = torch.distributions.Categorical(logits=actor(obs))
            ratio = (dist.log_prob(act) - old).exp()
            gain = torch.minimum(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
            loss_a = -gain - 0.005 * dist.entropy().mean()
            opt_a.zero_grad()
            loss_a.backward()
            opt_a.step()
            loss_c = (critic(obs).squeeze(-1) - ret).square().mean()
            opt_c.zero_grad()
            loss_c.backward()
            opt_c.step()
        if update % 15 == 0:
            recent = runner.finished[-20:]
            print(f"update {update:3d} episodes {len(runner.finished):4d} recent length {np.mean(recent):6.1f} "
                  f"value loss {loss_c.item():.3f} entropy {dist.entropy().mean().item():.3f}")
    print(f"final: greedy policy, 20 fresh episodes, mean length {play(actor):.1f} of 500")


if __name__ == "__main__":
    main()
