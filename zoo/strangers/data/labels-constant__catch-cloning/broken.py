"""Catch: a basket at the bottom, an apple with wind from above.

1. a scripted player plays a few hundred rounds and we write down what it sees and does
2. a small network learns to copy it (behaviour cloning)
3. the network plays fresh rounds on its own
"""
import argparse
import random

import numpy as np
import torch
import torch.nn as nn

WIDTH, HEIGHT = 15, 18
LEFT, STAY, RIGHT = 0, 1, 2


class Catch:
    def __init__(self, rng):
        self.rng = rng
        self.reset()

    def reset(self):
        self.apple = np.array([self.rng.uniform(0, WIDTH), float(HEIGHT)])
        self.wind = self.rng.uniform(-0.35, 0.35)
        self.basket = self.rng.uniform(0, WIDTH)
        return self.observe()

    def observe(self):
        return np.array([self.apple[0], self.apple[1], self.wind, self.basket], dtype=np.float32)

    def step(self, action):
        self.basket = float(np.clip(self.basket + 0.8 * (action - 1), 0, WIDTH))
        self.apple += (self.wind + self.rng.normal(0, 0.1), -1.0)
        if self.apple[0] < 0 or self.apple[0] > WIDTH:
            self.apple[0] = np.clip(self.apple[0], 0, WIDTH)
            self.wind = -self.wind
        done = self.apple[1] <= 0
        caught = bool(done and abs(self.apple[0] - self.basket) < 1.2)
        return self.observe(), caught, done


class ScriptedPlayer:
    """moves towards where the apple would land"""

    def __init__(self):
        self.move = np.zeros(1, dtype=np.int64)

    def act(self, obs):
        x, y, wind, basket = obs
        landing = x + wind * y
        if landing < 0:
            landing = -landing
        if landing > WIDTH:
            landing = 2 * WIDTH - landing
        gap = landing - basket
        self.move[0] = STAY if abs(gap) < 0.4 else (RIGHT if gap > 0 else LEFT)
        return self.move


def record(rounds, rng):
    env, player = Catch(rng), ScriptedPlayer()
    seen, done_moves, wins = [], [], 0
    for _ in range(rounds):
        obs, done = env.reset(), False
        while not done:
            move = player.act(obs)
            seen.append(obs)
            done_moves.append(move)
            obs, caught, done = env.step(int(move[0]))
        wins += caught
    print(f"recorded {len(seen)} frames, the script caught {wins / rounds:.3f}")
    return torch.from_numpy(np.stack(seen)), torch.from_numpy(np.concatenate(done_moves))


@torch.no_grad()
def play(net, mean, std, rounds, rng):
    net.eval()
    env, wins = Catch(rng), 0
    for _ in range(rounds):
        obs, done = env.reset(), False
        while not done:
            x = (torch.from_numpy(obs) - mean) / std
            obs, caught, done = env.step(int(net(x[None]).argmax(dim=1)))
        wins += caught
    return wins / rounds


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--rounds", type=int, default=450)
    ap.add_argument("--epochs", type=int, default=25)
    ap.add_argument("--lr", type=float, default=2e-3)
    args = ap.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    x, y = record(args.rounds, np.random.default_rng([args.seed, 0]))
    mean, std = x.mean(dim=0), x.std(dim=0)
    x = (x - mean) / std

    net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    ce = nn.CrossEntropyLoss()

    for epoch in range(args.epochs):
        net.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(64):
            loss = ce(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        if (epoch + 1) % 5 == 0:
            rate = play(net, mean, std, 60, np.random.default_rng([args.seed, 1]))
            print(f"epoch {epoch + 1:3d}  loss {total / len(x):.4f}  catches {rate:.3f}")

    final = play(net, mean, std, 300, np.random.default_rng([args.seed, 2]))
    print(f"final: the network catches {final:.3f} of 300 fresh rounds")


if __name__ == "__main__":
    main()
