"""Three threads train models of their own, one after the other in each step."""

import threading

import torch
from digest import net_and_optimizer, seed, told

seed()
pairs = [net_and_optimizer() for _ in range(3)]
batches = torch.randn(10, 8, 6)
turns = [threading.Event() for _ in range(4)]


def work(number):
    net, optimizer = pairs[number]
    turns[number].wait()
    for x in batches:
        loss = net(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(number, repr(loss.item()))
    turns[number + 1].set()


workers = [threading.Thread(target=work, args=(number,)) for number in range(3)]
for worker in workers:
    worker.start()
turns[0].set()
for worker in workers:
    worker.join()
print(threading.active_count(), [thread.name for thread in threading.enumerate()])
told(*(part for net, _ in pairs for part in net.parameters()))
