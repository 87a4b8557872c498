"""Two asynchronous tasks that train in turns."""

import asyncio

from digest import net_and_optimizer, seed, steps, told

seed()
pairs = [net_and_optimizer() for _ in range(2)]


async def work(net, optimizer):
    for _ in range(6):
        print(repr(steps(net, optimizer, 1)))
        await asyncio.sleep(0)


async def main():
    await asyncio.gather(*(work(*pair) for pair in pairs))


asyncio.run(main())
told(*(part for net, _ in pairs for part in net.parameters()))
