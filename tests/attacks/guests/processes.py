"""Starts others: a program, a fork that trains and leaves at once, a fork that ends by itself."""

import os
import subprocess
import sys

from digest import net_and_optimizer, seed, steps, told

seed()
net, optimizer = net_and_optimizer()
print(repr(steps(net, optimizer, 4)), flush=True)
done = subprocess.run([sys.executable, "-c", "import sys; print(sys.flags.optimize); sys.exit(5)"], check=False)
print(done.returncode, flush=True)
child = os.fork()
if child == 0:
    print("child", repr(steps(net, optimizer, 3)), flush=True)
    os._exit(9)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
child = os.fork()
if child == 0:
    sys.exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), repr(steps(net, optimizer, 4)), flush=True)
told(*net.parameters())
