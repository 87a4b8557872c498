"""Two runs with the same seed give different numbers.

## What happens
Floating-point addition depends on order. Summing 100,000 normal numbers in two orders gave results
7.6e-5 apart in float32; one matrix product of 300x4096 by 4096x300 differed by 1.2e-4 between one
thread and two. On a GPU the order itself may be left to chance: kernels that add with atomics
(scatter and index_add, some backward passes of pooling, interpolation and embedding) or a
convolution algorithm chosen by timing (`cudnn.benchmark`). Training amplifies the last bit: two
curves that agree at first and then part are the normal picture.

So small drift is a fact of parallel arithmetic and not a bug. What you want to exclude is the kind
that hides one: iteration over a set of strings, directory listings, a race between threads, results
collected in order of completion, time or process id used as a seed, reading uninitialised memory
from `torch.empty`. These differ at the first step and by amounts that are not rounding.

## How to tell
- **experiment**: the same script, same seed, in another process. Note the first step that differs and
  by how much: about 1e-7 relative and growing is arithmetic; a jump at step 0 is order or memory. In
  float64 arithmetic drift shrinks by many orders of magnitude; a race does not. `sleuth diagnose`
  makes this experiment (`again`) where seeds are set and the source leaves something to chance: it
  compares the first twelve losses and reports a difference of more than 1e-4.
- **refuted by**: two runs with one seed agree bit for bit.

## How to fix
Ask torch to refuse what it cannot repeat, and it will name the operation.

```python
torch.use_deterministic_algorithms(True)       # raises where no repeatable kernel exists
torch.backends.cudnn.benchmark = False
# before CUDA starts: os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
files = sorted(Path("data").glob("*.png"))
```

Fix the number of threads and of loader workers, pin versions, and compare on the same hardware: no
promise holds across devices or releases. It costs speed, so use it to debug and to test. For a
finished study, several seeds tell more than one exact replay.

## Often mistaken for
- `unseeded`: some generator was never seeded; the runs differ from the first random number on.
- `rank-divergence`: replicas of one run differ from each other, not two runs.

## Sources
- pytorch-randomness: "Avoiding nondeterministic algorithms", and the opening remark that equal
  results are not guaranteed across releases and platforms.
- pytorch-numerical-accuracy: results of mathematically equal computations may differ in their bits.
- goldberg-1991: "Languages and Compilers", under ambiguity: floating-point addition is not
  associative.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

GIVES_WAY_TO = "anything"
LOOKS_LIKE = {"seeds apart": "usually"}
PREDICTS = {"other-seed": "usually", "again": "always"}


def experiment(trials: "Trials") -> Iterator[Evidence]:
    """Seeds are set, and a second process comes out elsewhere all the same."""
    from sleuth.record.entries import Seed

    again = trials.made.get("again")
    seeded = any(seed.what == "torch" for seed in trials.base.of(Seed))  # else it is simply unseeded
    if again is None or not again.yes or again.record is None or not seeded:
        return
    yield Evidence(
        f"Two runs with the same seeds differ: {again.figures}. That is more than rounding: something "
        "differs between processes that no seed controls.",
        "likely",
        _another_seed(trials.base, again.record),
        fix="Sort what comes out of a set or a directory listing; use no string hash, clock or process "
        "id as a code or seed; collect parallel results in the order in which they were requested.",
    )


def _another_seed(base: "Record", again: "Record") -> Where | None:
    """The line whose seed was another in the other run."""
    from sleuth.record.entries import Seed

    pairs = zip(base.of(Seed), again.of(Seed), strict=False)
    other = next((ours for ours, theirs in pairs if ours.value != theirs.value), None)
    return None if other is None else Where(other.path or None, other.line)


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.chance import left_to_chance

    return left_to_chance(list(scene.sources))
