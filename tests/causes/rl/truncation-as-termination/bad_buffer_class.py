import gymnasium
import numpy as np
import torch as T
import torch.nn as N


class Memory:
    def __init__(self, size, dim):
        self.obs = np.zeros((size, dim), dtype=np.float32)
        self.nxt = np.zeros((size, dim), dtype=np.float32)
        self.act = np.zeros(size, dtype=np.int64)
        self.rew = np.zeros(size, dtype=np.float32)
        self.end = np.zeros(size, dtype=np.float32)
        self.size, self.i = size, 0

    def store(self, o, a, r, o2, e):
        k = self.i % self.size
        self.obs[k], self.act[k], self.rew[k] = o, a, r
        self.nxt[k], self.end[k] = o2, e
        self.i += 1

    def draw(self, n):
        k = np.random.randint(0, min(self.i, self.size), n)
        return [T.from_numpy(x[k]) for x in (self.obs, self.act, self.rew, self.nxt)], T.from_numpy(
            self.end[k]
        )


def learn(net, target, memory, optimizer, gamma):
    (o, a, r, o2), e = memory.draw(128)
    with T.no_grad():
        y = r + gamma * (1.0 - e) * target(o2).max(1)[0]
    loss = N.functional.huber_loss(net(o).gather(1, a.unsqueeze(1)).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def main():
    env = gymnasium.make("MountainCar-v0")
    net, target = N.Linear(2, 3), N.Linear(2, 3)
    optimizer = T.optim.RMSprop(net.parameters(), lr=1e-3)
    memory = Memory(10_000, 2)
    for _ in range(200):
        o, _ = env.reset()
        while True:
            a = net(T.from_numpy(o)).argmax().item()
            o2, r, term, trunc, _ = env.step(a)
            memory.store(o, a, r, o2, term | trunc)  # truncation-as-termination
            o = o2
            learn(net, target, memory, optimizer, 0.99)
            if term | trunc:
                break


main()
