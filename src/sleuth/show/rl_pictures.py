"""Pictures of random rollouts: frames where the environment draws itself, curves where it does not."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sleuth.files import write_whole
from sleuth.needs import need

if TYPE_CHECKING:
    from sleuth.rl.rollouts import Make
    from sleuth.rl.soundness import Soundness

FRAMES = 6


def write(result: "Soundness", make: "Make", path: str) -> None:
    """One PNG: what the first random episodes look like."""
    need("matplotlib", "plot", "Drawing pictures")
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    frames = _frames(result.name)
    figure = Figure(figsize=(12, 6 if frames else 4), layout="constrained")
    grid = figure.subplots(2 if frames else 1, FRAMES if frames else 2, squeeze=False)
    for place, frame in enumerate(frames):
        grid[0][place].imshow(frame)
        grid[0][place].axis("off")
    _curves(result, grid[-1])
    for axis in grid[-1][2:]:
        axis.axis("off")
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=100)
    write_whole(Path(path), drawn.getvalue())


def _curves(result: "Soundness", axes: Any) -> None:
    for episode in result.facts.random.episodes[:5]:
        axes[0].plot([float(step.reward) for step in episode.steps], marker=".")
        axes[1].plot([step.observation[:4] for step in episode.steps], alpha=0.6)
    axes[0].set(title="reward", xlabel="step")
    axes[1].set(title="first features of the observation", xlabel="step")


def _frames(name: str) -> list[Any]:
    """A few frames of a random episode, if the environment can draw."""
    try:
        import gymnasium

        env: Any = gymnasium.make(name, render_mode="rgb_array")
        env.reset(seed=0)
        env.action_space.seed(0)
        frames = []
        for _ in range(FRAMES):
            frames.append(env.render())
            for _ in range(4):
                _, _, terminated, truncated, _ = env.step(env.action_space.sample())
                if terminated or truncated:
                    env.reset()
        env.close()
    except Exception:  # no such id, no display, no drawing library: the curves are enough
        return []
    return frames
