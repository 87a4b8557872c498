"""A Stable-Baselines3 callback: the quantities that nobody logs, and the verdicts at the end of training."""

import math
from typing import Any

from sleuth.finding import Finding
from sleuth.needs import need
from sleuth.rl.logs import as_run
from sleuth.rl.watching import verdicts


def sb3_callback(actions: int | None = None) -> Any:
    """A fresh callback for `model.learn(..., callback=...)`; afterwards `.findings` holds the verdicts."""
    need("stable_baselines3", "rl", "The callback")
    from stable_baselines3.common.callbacks import BaseCallback

    class Watch(BaseCallback):
        """Reads the logger after each rollout, and the advantages from the rollout buffer."""

        def __init__(self) -> None:
            super().__init__()
            self.table: dict[str, list[tuple[float, float]]] = {}
            self.findings: list[Finding] = []

        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            step = float(self.num_timesteps)
            for key, value in {**self.logger.name_to_value, **_raw(self.model)}.items():
                if isinstance(value, (int, float)) and math.isfinite(float(value)):
                    self.table.setdefault(key, []).append((step, float(value)))

        def _on_training_end(self) -> None:
            count = actions if actions is not None else getattr(self.model.action_space, "n", None)
            self.findings = verdicts(as_run("training", self.table), count)

    return Watch()


def _raw(model: Any) -> dict[str, float]:
    """Advantages and targets before anything normalises them, recent returns, the reward's scale."""
    found: dict[str, float] = {}
    buffer = getattr(model, "rollout_buffer", None)
    if buffer is not None and getattr(buffer, "full", False):
        advantages, targets = buffer.advantages, buffer.returns
        found |= {
            "advantages/mean": float(advantages.mean()),
            "advantages/std": float(advantages.std()),
            "targets/min": float(targets.min()),
            "targets/max": float(targets.max()),
        }
    recent = getattr(model, "ep_info_buffer", None)
    if recent:
        found["rollout/ep_rew_mean"] = sum(float(entry["r"]) for entry in recent) / len(recent)
        found["rollout/ep_len_mean"] = sum(float(entry["l"]) for entry in recent) / len(recent)
        found["rollout/ep_rew_max"] = max(float(entry["r"]) for entry in recent)
    normaliser = model.get_vec_normalize_env()
    if normaliser is not None and getattr(normaliser, "norm_reward", False):
        found["normaliser/reward_sd"] = float(normaliser.ret_rms.var) ** 0.5
    statistics = getattr(normaliser, "obs_rms", None)
    if statistics is not None and hasattr(statistics, "count"):  # of a dict of observations there are several
        found["normaliser/count"] = float(statistics.count)
    return found
