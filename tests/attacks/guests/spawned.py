"""A spawned process that trains and hands back what it computed."""

import torch.multiprocessing
from digest import net_and_optimizer, seed, steps, told


def work(queue):
    seed()
    net, optimizer = net_and_optimizer()
    queue.put(steps(net, optimizer, 5))


if __name__ == "__main__":
    context = torch.multiprocessing.get_context("spawn")
    queue = context.Queue()
    child = context.Process(target=work, args=(queue,))
    child.start()
    print(repr(queue.get()))
    child.join()
    print(child.exitcode)
    seed()
    net, optimizer = net_and_optimizer()
    print(repr(steps(net, optimizer, 5)))
    told(*net.parameters())
