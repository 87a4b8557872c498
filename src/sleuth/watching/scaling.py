"""The door of loss scaling (mixed precision): the scale in use, and where gradients are unscaled."""

from typing import Any

from sleuth.watching.state import State


def attach(state: State, patches: Any) -> None:
    from torch.amp import grad_scaler as door

    def scaled(original: Any) -> Any:
        def scale(self: Any, outputs: Any) -> Any:
            result = original(self, outputs)
            if not state.off:
                state.scale = float(self.get_scale()) if self.is_enabled() else None
            return result

        return scale

    def unscaled(original: Any) -> Any:
        def unscale_(self: Any, optimizer: Any) -> Any:
            result = original(self, optimizer)
            if not state.off and self.is_enabled():
                state.event_here("unscale", state.optimizer_ids.get(optimizer, 0))
            return result

        return unscale_

    patches.replace(door.GradScaler, "scale", scaled)
    patches.replace(door.GradScaler, "unscale_", unscaled)
