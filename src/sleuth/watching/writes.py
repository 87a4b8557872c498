"""Who wrote a parameter's initial values: the last line of the user's code that changed it in place.

Only while no step has been taken, and only for records that look deep: every in-place method goes through
here.
"""

from typing import Any

from sleuth.watching.models import Births
from sleuth.watching.state import State
from sleuth.watching.tensors import address_of

METHODS = (
    "normal_ uniform_ fill_ zero_ mul_ div_ add_ sub_ copy_ clamp_ exponential_ trunc_normal_ "
    "__imul__ __itruediv__ __iadd__ __isub__ __setitem__"
).split()


def attach(state: State, patches: Any, births: Births) -> None:
    import torch

    def watched(original: Any) -> Any:
        def write(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            if state.n == 0 and not state.off and self.dtype.is_floating_point:
                if (address := address_of(self)) is not None:
                    births.writes[address] = state.places.here()
            return result

        return write

    def registered(original: Any) -> Any:
        def register_parameter(self: Any, name: str, param: Any) -> None:
            original(self, name, param)
            if param is not None and state.n == 0 and not state.off:
                if (address := address_of(param)) is not None:
                    births.writes.setdefault(address, state.places.here())

        return register_parameter

    patches.replace(torch.nn.Module, "register_parameter", registered)
    for name in METHODS:
        patches.replace(torch.Tensor, name, watched)
