import argparse
import time

import numpy as np
import torch

from agent import Agent, gae
from env import Docking


def collect(env, agent, obs, steps):
    keys = "obs act logp rew val nxt term end".split()
    buf = {k: [] for k in keys}
    docked = ended = 0
    with torch.no_grad():
        for _ in range(steps):
            o = torch.from_numpy(obs)
            dist = agent.policy(o)
            a = dist.sample()
            obs, r, term, trunc, info = env.step(a.numpy())
            row = (o, a, dist.log_prob(a), torch.from_numpy(r), agent.value(o),
                   agent.value(torch.from_numpy(info["final"])), torch.from_numpy(term), torch.from_numpy(term | trunc))
            for k, v in zip(keys, row):
                buf[k].append(v)
            docked += info["docked"].sum()
            ended += (term | trunc).sum()
    return obs, {k: torch.stack(v) for k, v in buf.items()}, docked / max(ended, 1)


def update(agent, opt, b, args):
    adv = gae(b["rew"], b["val"], b["nxt"], b["term"], b["end"], args.gamma, args.lam)
    ret = adv + b["val"]
    flat = {k: v.flatten(0, 1) for k, v in b.items()}
    adv, ret = adv.flatten(), ret.flatten()
    explained = 1 - (ret - flat["val"]).var() / ret.var()
    kl = ent = 0.0
    n = 0
    for _ in range(args.epochs):
        for i in torch.randperm(len(adv)).split(args.minibatch):
            dist = agent.policy(flat["obs"][i])
            log_ratio = dist.log_prob(flat["act"][i]) - flat["logp"][i]
            ratio = log_ratio.exp()
            a = (adv[i] - adv[i].mean()) / (adv[i].std() + 1e-8)
            surrogate = torch.min(ratio * a, ratio.clamp(1 - args.clip, 1 + args.clip) * a).mean()
            v_loss = 0.5 * (agent.value(flat["obs"][i]) - ret[i]).square().mean()
            entropy = dist.entropy().mean()
            loss = -surrogate + v_loss - args.ent * entropy
            opt.zero_grad()
            loss.backward()
            opt.step()
            kl += (ratio - 1 - log_ratio).mean().item()
            ent += entropy.item()
            n += 1
    return kl / n, ent / n, explained.item()


@torch.no_grad()
def evaluate(agent, seed, episodes=300):
    """One episode in each of many copies, greedy actions."""
    env = Docking(episodes, seed)
    obs = env.reset()
    env.age[:] = 0
    live, ret, won = np.ones(episodes, bool), np.zeros(episodes), np.zeros(episodes, bool)
    while live.any():
        obs, r, term, trunc, info = env.step(agent.policy(torch.from_numpy(obs)).probs.argmax(1).numpy())
        ret += r * live
        won |= info["docked"] & live
        live &= ~(term | trunc)
    return ret.mean(), won.mean()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--iterations", type=int, default=60)
    ap.add_argument("--envs", type=int, default=32)
    ap.add_argument("--steps", type=int, default=64)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--minibatch", type=int, default=256)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--gamma", type=float, default=0.98)
    ap.add_argument("--lam", type=float, default=0.95)
    ap.add_argument("--clip", type=float, default=0.2)
    ap.add_argument("--ent", type=float, default=0.005)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    env = Docking(args.envs, args.seed)
    agent = Agent(env.obs_dim, env.n_actions)
    opt = torch.optim.Adam(agent.parameters(), lr=args.lr, eps=1e-5)
    anneal = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.1, total_iters=args.iterations)
    obs, t0 = env.reset(), time.time()
    for it in range(1, args.iterations + 1):
        obs, batch, rate = collect(env, agent, obs, args.steps)
        kl, ent, ev = update(agent, opt, batch, args)
        anneal.step()
        if it % 6 == 0 or it == 1:
            print(f"iter {it:3d}  docked {rate:.3f}  reward/step {batch['rew'].mean():+.4f}  entropy {ent:.3f}"
                  f"  kl {kl:.4f}  explained var {ev:+.3f}  {time.time() - t0:.0f}s")
    ret, won = evaluate(agent, seed=10_000)
    print(f"greedy, 300 fresh episodes: return {ret:.3f}, docked {won:.3f}")


if __name__ == "__main__":
    main()
