"""Signals to itself, an alarm in the middle of training, and functions called at the exit."""

import atexit
import os
import signal

from digest import net_and_optimizer, seed, steps, told

seed()
caught = []
atexit.register(lambda: print("first registered, last called", bool(caught)))
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
    signal.signal(number, lambda got, frame: caught.append(got))
net, optimizer = net_and_optimizer()
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP):
    os.kill(os.getpid(), number)
    steps(net, optimizer, 3)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.002)
steps(net, optimizer, 12)
signal.setitimer(signal.ITIMER_REAL, 0)
print(sorted(set(caught)), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
told(*net.parameters())
atexit.register(lambda: print("last registered, first called"))
