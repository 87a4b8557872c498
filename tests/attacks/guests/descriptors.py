"""Closes every descriptor but the three of the start, and opens files of its own."""

import os

from digest import net_and_optimizer, seed, steps, told

seed()
net, optimizer = net_and_optimizer()
steps(net, optimizer, 3)
os.closerange(3, 256)
files = [open(f"own_{number}.txt", "w+") for number in range(4)]
for turn in range(30):
    for file in files:
        file.write(f"{turn}\n")
        file.flush()
    steps(net, optimizer, 40)
print([os.fstat(file.fileno()).st_size for file in files])
told(*net.parameters())
os.closerange(3, 256)
os._exit(0)
