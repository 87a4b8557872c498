"""Common settings of common algorithms, for after correctness is established.

Library defaults (Stable-Baselines3 2.x), with what practitioners change first.
"""

from collections.abc import Mapping

from sleuth.errors import SleuthError, did_you_mean

TABLE: Mapping[str, Mapping[str, str]] = {
    "PPO": {
        "learning rate": "3e-4, annealed to 0",
        "rollout": "2048 steps × copies (128 × 8 for pixels)",
        "minibatch": "64",
        "epochs": "10 (4 for pixels)",
        "gamma, lambda": "0.99, 0.95",
        "clip": "0.2",
        "entropy bonus": "0 (0.01 for discrete actions)",
        "value coefficient": "0.5",
        "gradient norm": "0.5",
        "needs": "normalised observations, scaled rewards",
    },
    "A2C": {
        "learning rate": "7e-4 (RMSprop, eps 1e-5)",
        "rollout": "5 steps × copies (16 and more)",
        "gamma, lambda": "0.99, 1.0",
        "entropy bonus": "0 (0.01 for discrete actions)",
        "value coefficient": "0.5",
        "gradient norm": "0.5",
    },
    "DQN": {
        "learning rate": "1e-4 (1e-3 for small nets)",
        "buffer": "1 000 000 (50 000 for small tasks)",
        "warm-up": "100 steps (thousands for pixels)",
        "minibatch": "32",
        "train every": "4 steps",
        "target copy": "every 10 000 steps (500 for small tasks)",
        "epsilon": "1 → 0.05 over the first tenth",
        "gamma": "0.99",
        "gradient norm": "10",
    },
    "SAC": {
        "learning rate": "3e-4",
        "buffer": "1 000 000",
        "warm-up": "100 steps (10 000 for locomotion)",
        "minibatch": "256",
        "tau": "0.005",
        "train every": "1 step",
        "entropy": "automatic, target -dim(action)",
        "gamma": "0.99",
    },
    "TD3": {
        "learning rate": "1e-3",
        "buffer": "1 000 000",
        "warm-up": "100 steps (25 000 for locomotion)",
        "minibatch": "256",
        "tau": "0.005",
        "policy delay": "2",
        "target noise": "0.2, clipped at 0.5",
        "exploration noise": "0.1",
        "gamma": "0.99",
    },
}


def settings(name: str) -> Mapping[str, str]:
    for known, values in TABLE.items():
        if known.lower() == name.lower():
            return values
    raise SleuthError(f"There is no table for {name!r}.{did_you_mean(name.upper(), TABLE)}")
