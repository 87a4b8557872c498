"""Looks for whoever watches: prints what a script can see of it, one line each."""

import builtins
import inspect
import os
import pickle
import sys
import threading
import traceback
import warnings

import torch

net = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
functions = torch.nn.functional
batch = torch.ones(3, 2)
own_thread = threading.current_thread()


class Deep(torch.nn.Module):
    def forward(self, x):
        seen["frames above a model's forward"] = len(inspect.stack())
        return x * torch.ones(2, requires_grad=True)


def is_python(function):
    return hasattr(function, "__code__")


seen = {}
Deep()(batch)
loss = net(batch).sum()
loss.backward()
optimizer.step()
seen |= {
    "names in the environment": sorted(name for name in os.environ if name.startswith("SLEUTH_")),
    "PYTHONPATH": bool(os.environ.get("PYTHONPATH")),
    "finders on sys.meta_path": len(sys.meta_path),
    "sys.path": len(sys.path),
    "sys.path_hooks": len(sys.path_hooks),
    "filters of warnings": len(warnings.filters),
    "threads": (threading.active_count(), len(threading.enumerate())),
    "descriptors": len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0,
    "print is a Python function": is_python(builtins.print),
    "sys.exit is a Python function": is_python(sys.exit),
    "os._exit is a Python function": is_python(os._exit),
    "sys.excepthook is Python's": sys.excepthook is sys.__excepthook__,
    "sys.unraisablehook is Python's": sys.unraisablehook is sys.__unraisablehook__,
    "sys.settrace": sys.gettrace(),
    "sys.setprofile": sys.getprofile(),
    "modules of Sleuth": any(name.partition(".")[0] == "sleuth" for name in sys.modules),
    "the file of a loss function": os.path.basename(functions.cross_entropy.__code__.co_filename),
    "the source of a loss function": inspect.getsource(functions.cross_entropy)[:18],
    "the signature of a loss function": str(inspect.signature(functions.cross_entropy)),
    "the name of backward": torch.Tensor.backward.__qualname__,
    "torch.load is a function": inspect.isfunction(torch.load),
    "a model's own attributes": sorted(vars(net)),
    "an optimizer's own attributes": sorted(vars(optimizer)),
    "hooks of every module": len(torch.nn.modules.module._global_forward_hooks)
    + len(torch.nn.modules.module._global_forward_pre_hooks),
    "hooks of a model": len(net._forward_hooks) + len(net._backward_hooks),
    "hooks of an optimizer": len(optimizer._optimizer_step_post_hooks),
    "references to an optimizer": sys.getrefcount(optimizer),
    "references to a batch": sys.getrefcount(batch),
    "pickled size": len(pickle.dumps((net, optimizer))),
    "frames here": len(traceback.extract_stack()),
    "current thread": threading.current_thread() is own_thread,
    "arguments": sys.argv[1:],
    "original arguments": sys.orig_argv[2:],
    "parent": os.getppid() != 1,
}
for name, what in seen.items():
    print(f"{name}: {what}")
