"""Exact peak of tensor memory: every storage that is made, until it is gone."""

import weakref
from collections.abc import Callable, Iterable
from typing import Any


def peak(function: Callable[[], Any], owned: Iterable[Any] = ()) -> int:
    """Most bytes in tensors made while the function ran and alive at one time; `owned` were there before."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Meter(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call]
            self.now = self.most = 0
            self.known: dict[int, Any] = {_key(tensor): tensor for tensor in owned}

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            before = {_key(leaf) for leaf in tree_leaves((args, kwargs or {})) if _stored(leaf)}
            result = func(*args, **(kwargs or {}))
            for leaf in tree_leaves(result):
                if _stored(leaf) and _key(leaf) not in before and _key(leaf) not in self.known:
                    self.add(leaf.untyped_storage())
            return result

        def add(self, storage: Any) -> None:
            key, size = storage._cdata, storage.nbytes()
            self.now += size
            self.most = max(self.most, self.now)

            def gone(_: Any) -> None:
                self.known.pop(key, None)
                self.now -= size

            self.known[key] = weakref.ref(storage, gone)

    meter = Meter()
    with meter:
        function()
    return meter.most


def _stored(leaf: Any) -> bool:
    import torch

    return isinstance(leaf, torch.Tensor) and leaf.layout is torch.strided and leaf.device.type != "meta"


def _key(leaf: Any) -> int:
    return int(leaf.untyped_storage()._cdata)
