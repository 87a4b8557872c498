"""Stable-Baselines3 classes in the probe worlds: trained in stretches, read in between."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from sleuth.errors import SleuthError, did_you_mean
from sleuth.needs import need
from sleuth.rl.ladder import Pace, Session, Trouble
from sleuth.rl.learner import Form
from sleuth.rl.reading import Reading, read
from sleuth.rl.tables import Table
from sleuth.rl.worlds import Coding, Witness, make_world

ON_POLICY = ("PPO", "A2C")
CONTINUOUS = ("SAC", "TD3", "DDPG")
KNOWN = ("A2C", "DDPG", "DQN", "PPO", "SAC", "TD3")
ROLLOUTS = 10  # a default PPO solved the two-action probe after 5 of 2048 steps
LOOKS = 1.3
COPIES = 4  # parallel worlds for on-policy agents: axes mixed up show only with more than one


def algorithm(name: str) -> Any:
    """The class of that name, or an error that says what there is."""
    if name not in KNOWN:
        raise SleuthError(f"Stable-Baselines3 has no algorithm {name!r}.{did_you_mean(name, KNOWN)}")
    need("stable_baselines3", "rl", f"`sb3:{name}`")
    import stable_baselines3

    return getattr(stable_baselines3, name)


@dataclass(frozen=True)
class Adapter:
    """`value`, `q` and `policy` of a Stable-Baselines3 model."""

    model: Any
    deterministic: bool = True  # where it answers with an action: asking once is enough

    @property
    def value(self) -> Callable[[Any], float] | None:
        policy = self.model.policy
        if hasattr(policy, "predict_values"):
            return lambda obs: float(self._quiet(lambda: policy.predict_values(self._tensor(obs))))
        if hasattr(policy, "critic"):
            return self._critic_value
        return None

    @property
    def q(self) -> Callable[[Any], Any] | None:
        network = getattr(self.model, "q_net", None)
        return None if network is None else lambda obs: self._quiet(lambda: network(self._tensor(obs)))[0]

    @property
    def policy(self) -> Callable[[Any], Any] | None:
        policy = self.model.policy
        if hasattr(policy, "get_distribution"):
            return self._distribution
        if hasattr(policy, "critic"):
            return lambda obs: self.model.predict(obs, deterministic=True)[0]
        return None

    def _critic_value(self, obs: Any) -> float:
        def least() -> Any:
            import torch

            policy = self.model.policy
            shown = self._tensor(obs)
            guesses = policy.critic(
                shown, policy.actor(shown, deterministic=True) if self._squashed() else policy.actor(shown)
            )
            return torch.min(torch.cat(guesses, 1))

        return float(self._quiet(least))

    def _squashed(self) -> bool:
        return type(self.model).__name__ == "SAC"

    def _distribution(self, obs: Any) -> Any:
        found = self._quiet(lambda: self.model.policy.get_distribution(self._tensor(obs)).distribution)
        if hasattr(found, "probs"):
            return found.probs[0]
        import numpy as np

        space = self.model.action_space
        return np.clip(self.model.predict(obs, deterministic=True)[0], space.low, space.high)

    def _tensor(self, obs: Any) -> Any:
        return self.model.policy.obs_to_tensor(obs)[0]

    def _quiet(self, ask: Callable[[], Any]) -> Any:
        """Without gradients, in evaluation mode, and with the random streams as they were."""
        import torch

        policy = self.model.policy
        was = policy.training
        policy.set_training_mode(False)
        state = torch.get_rng_state()
        try:
            with torch.no_grad():
                return ask()
        finally:
            torch.set_rng_state(state)
            policy.set_training_mode(was)


@dataclass
class Sb3Session:
    """One model in one world; goes on where it stopped."""

    make: Callable[[Any, int, float], Any]
    table: Table
    code: Coding
    seed: int
    gamma: float
    copies: int
    facts: dict[str, float] = field(default_factory=dict)
    witness: Witness = field(default_factory=Witness)
    model: Any = None
    trained: int = 0

    def until(self, steps: int) -> Reading | None:
        try:
            if self.model is None:
                self.model = self.make(self.envs(), self.seed, self.gamma)
            todo = steps - int(self.model.num_timesteps)
            if todo > 0:
                with _unvalidated():
                    self.model.learn(todo, reset_num_timesteps=False, log_interval=None)
        except SleuthError:
            raise
        except Exception as error:
            raise Trouble(f"{type(error).__name__}: {' '.join(str(error).split())}") from error
        self.trained = int(self.model.num_timesteps)
        self.facts.update(
            steps=self.witness.steps, after_end=self.witness.after_end, after_limit=self.witness.after_limit
        )
        return read(Adapter(self.model), self.table, self.code, self.witness)

    def envs(self) -> Any:
        from stable_baselines3.common.vec_env import DummyVecEnv

        return DummyVecEnv([lambda: make_world(self.table, self.code, self.witness)] * self.copies)


@contextmanager
def _unvalidated() -> Iterator[None]:
    """Distributions of torch check their arguments on every call, a third of the time of an A2C."""
    from torch.distributions import Distribution

    was = Distribution._validate_args
    Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        Distribution.set_default_validate_args(was)


def policy_name(form: Form, spaces: str) -> str:
    if form.like is not None:
        kind = type(form.like.observation_space).__name__
        spaces = {"Dict": "dict"}.get(kind, "vector")
        if kind == "Box" and len(form.like.observation_space.shape) == 3:
            spaces = "image"
    return {"image": "CnnPolicy", "dict": "MultiInputPolicy"}.get(spaces, "MlpPolicy")


def spaces_of(kwargs: Mapping[str, Any]) -> str:
    """A policy for pictures or for dictionaries takes nothing else."""
    return {"CnnPolicy": "image", "MultiInputPolicy": "dict"}.get(str(kwargs.get("policy")), "vector")


def maker(name: str, kwargs: Mapping[str, Any], form: Form) -> Callable[[Any, int, float], Any]:
    """Builds the model; a keyword the class does not know is the user's mistake."""
    chosen = algorithm(name)

    def make(envs: Any, seed: int, gamma: float) -> Any:
        import torch

        torch.set_num_threads(1)  # nets this small only lose time to threads
        own = deepcopy(dict(kwargs))  # SB3 writes into the `policy_kwargs` it is given
        settings = {"policy": policy_name(form, form.spaces), "gamma": gamma, "device": "cpu"} | own
        try:
            return chosen(env=envs, seed=seed, **settings)
        except TypeError as error:
            raise SleuthError(f"{name}(...) does not take these settings: {error}.") from None

    return make


def form_for(name: str, spaces: str = "vector", like: Any = None) -> Form:
    return Form(spaces, name in CONTINUOUS, like)


def starter(
    make: Callable[[Any, int, float], Any], form: Form, on_policy: bool
) -> Callable[[Table, int, float], Session]:
    def start(table: Table, seed: int, gamma: float) -> Session:
        return Sb3Session(make, table, form.coding(table), seed, gamma, COPIES if on_policy else 1)

    return start


def pace(make: Callable[[Any, int, float], Any], form: Form, on_policy: bool) -> Callable[[Table], Pace]:
    """How long this model, with its own settings, can need: measured once on a model that never trains."""

    def chosen(table: Table) -> Pace:
        session = Sb3Session(make, table, form.coding(table), 0, 0.99, COPIES if on_policy else 1)
        return pace_of(make(session.envs(), 0, 0.99))

    return chosen


def pace_of(model: Any) -> Pace:
    """On-policy: rollouts. Off-policy: the warm-up, and the steps until the target network is copied."""
    if not hasattr(model, "replay_buffer"):  # `n_steps` alone says nothing: replay has n-step returns as well
        rollout = int(model.n_steps) * int(model.n_envs)
        return Pace(max(rollout, 200), LOOKS, max(6000, ROLLOUTS * rollout))
    warm_up = int(getattr(model, "learning_starts", 0))
    copied = int(getattr(model, "target_update_interval", 1))
    slow = 3.0 if float(getattr(model, "tau", 1.0)) < 0.02 else 1.0  # soft copies need thousands of updates
    return Pace(warm_up + 100, LOOKS, int(slow * 3000 + warm_up + 2.5 * copied * (copied > 1)))
