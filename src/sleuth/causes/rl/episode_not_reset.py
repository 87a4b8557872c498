"""The environment or some per-episode state survives the end of the episode.

## What happens
The step after an end belongs to nobody. If the environment is not reset, many simulators keep
answering (a constant state, reward 0), and the buffer fills with phantom rows. If the environment
*is* reset but something beside it is not, the new episode begins with the old one's memory:
recurrent state, frame stack, running return, action noise, the potential of a shaped reward.

Vector environments made it worse quietly. Gymnasium before 1.0 reset within the same step; since
1.0 the default is to reset on the *next* step: the action given there is ignored and the row
(last state, ignored action, reward 0) is no experience at all. Code written for the old way
trains on it. In a world with very short episodes, an unchanged PPO script gave values near 0.1
for a state worth 1; switching to the same-step mode repaired it. Long episodes dilute the effect
to a small, permanent error.

## How to tell
- **lint**: a loop over `env.step` of a single environment that goes on after an end and in which
  nothing resets; hidden state made before the episodes and afterwards only handed on.
- **probe**: a world with one- and two-step episodes (start in A, B, C or D; B ends with +1, C
  with -3): phantom rows pull the values of end states towards the mean. For memory: an
  environment that pays for acting on the first observation of *this* episode.
- **refuted by**: the first observation of each episode is a start state, and the recurrent state
  there equals a fresh one.

## How to fix
```python
if terminated or truncated:
    obs, _ = env.reset()
    hidden = policy.initial_state()
    frames.clear()
envs = gym.vector.SyncVectorEnv(fns, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP)
```
Or keep the next-step mode and drop the row that follows an end (mask it out of loss *and*
advantages). A deliberate continuing task without resets is fine if no flag is ever raised.

## Often mistaken for
- `state-not-carried`: the opposite, memory lost within an episode.
- `bootstrap-through-terminal`: rows are right and the target reaches across the border.
- `truncation-as-termination`: the border is handled, with the wrong kind.

## Sources
- gymnasium-autoreset: the list of modes, the default, and the warning that an algorithm written
  for one cannot sample with another.
- huang-2022: the detail on the vectorised architecture: how `next_done` and resets fit together
  in a rollout.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.source.flow import keeps_numbers, literal, possible, root, subject
from sleuth.source.interpreter.values import Call, Carried, Collection, Function, Instance, Loop, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.environments import is_made_by_gym
from sleuth.source.topics.episodes import (
    ENDS,
    EnvStep,
    begins_again,
    inside_class,
    is_network_call,
    names_end,
    own_step,
    read_episodes,
    target_name,
    words,
)
from sleuth.source.topics.modes import users

if TYPE_CHECKING:
    from sleuth.rl.climbed import Climb
    from sleuth.rl.played import Played

# Without one of these words nothing is taken for an environment.
NEEDS = "gym reset env Env ENV game Game simulator Simulator world World"

# How methods begin that take experience in.
_LEARNING = ("learn", "update", "train", "remember", "observe", "store")


def lint(program: Program) -> Iterator[Evidence]:
    if ".step(" not in program.source.text:
        return
    learns = _learns(program)
    if not learns and not program.source.holds_one_of(_LEARNING):
        return
    episodes = read_episodes(program)
    for step in episodes.steps:
        if not learns and not _learnt_from(program, step):
            continue
        if not step.call.context.loops or inside_class(step.call, "step"):
            continue
        if _is_single(step) and not _ever_resets(program, step.call.context.loops[0]):
            if not _stops(step):
                yield _never_reset(step)
    for step in episodes.steps if learns else ():
        yield from _memory_kept(program, step)


def _learns(program: Program) -> bool:
    """Whether experience is used or kept: a demonstration of an environment may run on after its end."""
    if program.training.of("backward"):
        return True
    return any(call.context.loops for call in program.calls(".append", ".add", ".push", ".store", "-=", "+="))


def _learnt_from(program: Program, step: EnvStep) -> bool:
    """The reward goes to something that learns out of sight: `agent.learn(obs, reward, done)`."""
    return any(
        call.op[:1] == "." and call.op[1:].startswith(_LEARNING)
        for reward in step.fields.get("reward", ())
        for call in users(program).get(id(reward), ())
        if call.context.loops == step.call.context.loops
    )


def _never_reset(step: EnvStep) -> Evidence:
    return clue(
        "proven" if isinstance(root(step.environment), Instance | Call) else "likely",
        _carried_on(step) or step.call,
        "The loop goes on stepping after an episode has ended: nothing in it calls `reset`, so what follows "
        "the first end is no experience of any episode.",
        fix="Call `obs, _ = env.reset()` in the loop whenever an episode has ended.",
    )


def _carried_on(step: EnvStep) -> Value | None:
    """The `obs = next_obs` behind the step: the line that makes the next turn start from a dead end."""
    first = getattr(step.call.node, "lineno", 0)
    names: set[str] = set()
    for node in ast.walk(step.call.context.loops[-1].node):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        if node.value is step.call.node and isinstance(node.targets[0], ast.Tuple):
            names |= words(node.targets[0].elts[0])
        pairs: list[tuple[ast.expr, ast.expr]] = [(node.targets[0], node.value)]
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(node.targets[0].elts, node.value.elts, strict=False))
        for target, value in pairs if node.lineno > first else ():
            if isinstance(target, ast.Name) and isinstance(value, ast.Name):
                if value.id in names and target.id not in names:
                    return Value(node, step.call.source)
    return None


def _is_single(step: EnvStep) -> bool:
    """One environment that ends and does not begin again by itself."""
    flags = (
        *step.fields.get("terminated", ()),
        *step.fields.get("truncated", ()),
        *step.fields.get("done", ()),
    )
    if all(literal(flag) is False for flag in flags):
        return False
    if own_step(step.environment) is not None:
        return not begins_again(step.environment)
    return is_made_by_gym(step.environment)


def _ever_resets(program: Program, outermost: Loop) -> bool:
    """Whether anything in the loop, down to the functions it calls, has to do with resetting."""
    if any("reset" in word.lower() for word in words(outermost.node)):
        return True
    for call in program.trace:
        if any(loop is outermost for loop in call.context.loops):
            function = call.receiver if isinstance(call.receiver, Function) else None
            if "reset" in call.op or "reset" in str(getattr(function and function.definition, "name", "")):
                return True
    return False


def _stops(step: EnvStep) -> bool:
    """Whether the outermost loop ends with the episode: by its test, or by a jump that asks for the end."""
    outermost = step.call.context.loops[0].node
    ends = _names_of_the_end(step, outermost)
    if isinstance(outermost, ast.While) and words(outermost.test) & ends:
        return True
    return any(not asked or asked & ends for asked in _exits(outermost, frozenset(), nested=False))


def _names_of_the_end(step: EnvStep, loop: ast.AST) -> set[str]:
    """What the program calls the flags of a step, and what it computes from them."""
    flags = [value for name, values in step.fields.items() if name in ENDS for value in values]
    names = {target_name(flag) for flag in flags if isinstance(flag, Call)} - {""}
    names |= {word for word in words(loop) if names_end(word)}
    for node in ast.walk(loop):
        if isinstance(node, ast.Assign) and words(node.value) & names:
            names |= {part.id for part in node.targets if isinstance(part, ast.Name)}
    return names


def _exits(node: ast.AST, asked: frozenset[str], nested: bool) -> Iterator[frozenset[str]]:
    """For each jump out of a loop the names asked on the way; an inner `break` ends only its own loop."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return | ast.Raise) or (isinstance(child, ast.Break) and not nested):
            yield asked
        elif isinstance(child, ast.If):
            yield from _exits(child, asked | words(child.test), nested)
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _exits(child, asked, nested or isinstance(child, ast.For | ast.While))


def _memory_kept(program: Program, step: EnvStep) -> Iterator[Evidence]:
    """A recurrent state that lives through the reset: set once before all episodes, then only handed on."""
    for call in program.calls("()"):
        if (
            not is_network_call(call)
            or len(call.args) < 2
            or call.context.function is not step.call.context.function
        ):
            continue
        episode_loop = _loop_of_resets(program, step)
        for argument in map(_unwrapped, call.args[1:]):
            if (
                episode_loop is not None
                and isinstance(argument, Carried)
                and _only_handed_on(argument, call, episode_loop)
            ):
                yield clue(
                    "likely",
                    _handed_over(argument, episode_loop) or call,
                    f"`{argument.name}` is carried from one episode into the next: the environment is reset "
                    "in the loop, this state never is.",
                    fix=f"Set `{argument.name}` back to its initial value whenever the environment is reset.",
                )


def _loop_of_resets(program: Program, step: EnvStep) -> Loop | None:
    """The innermost loop around the step in which the environment is reset."""
    resets = [call for call in program.calls(".reset") if call.receiver is not None]
    resets += [
        call
        for call in program.calls("def")
        if isinstance(call.receiver, Function)
        and getattr(call.receiver.definition, "name", "") == "reset"
        and isinstance(call.receiver.bound, Instance)
    ]
    for loop in reversed(step.call.context.loops):
        if any(here is loop for call in resets for here in call.context.loops):
            return loop
    return None


def _unwrapped(value: Value) -> Value:
    """`hidden.detach()` is `hidden`."""
    while isinstance(value, Call) and keeps_numbers(value) and value.op != "[]":
        inner = subject(value)
        if inner is None:
            break
        value = inner
    return value


def _only_handed_on(argument: Carried, call: Call, loop: Loop) -> bool:
    """Whether the state comes from before the loop and every later value of it from the network."""
    outer = _of_loop(argument, loop)
    if outer is None or isinstance(outer.initial, Carried):
        return False
    later = [
        option
        for final in (argument.final, outer.final)
        for option in possible(final)
        if option is not outer.initial
    ]
    return bool(later) and all(_is_part_of(option, call, argument, outer) for option in later)


def _of_loop(argument: Carried, loop: Loop) -> Carried | None:
    """The same variable at the head of a loop further out, perhaps detached on the way in."""
    outer = argument
    while outer.loop is not loop:
        before = _unwrapped(outer.initial) if outer.initial is not None else None
        if not isinstance(before, Carried):
            return None
        outer = before
    return outer


def _handed_over(argument: Carried, loop: Loop) -> Call | None:
    """The `hidden = hidden.detach()` between two episodes: there the reset is missing."""
    outer = _of_loop(argument, loop)
    options = possible(argument.initial) + (possible(outer.final) if outer is not None else [])
    for option in options:
        here = root(option.items[0]) if isinstance(option, Collection) and option.items else option
        if isinstance(here, Call) and here.op in (".detach", ".detach_", ".clone", "@data"):
            # In the loop of the steps itself a branch tells the end of an episode from cutting every step.
            between = argument.loop is not loop or here.context.arms
            if between and here.context.loops and here.context.loops[-1] is loop:
                return here
    return None


def _is_part_of(value: Value, call: Call, *running: Carried) -> bool:
    """An item of what the network returned, perhaps detached; anything else may be a reset or a mask."""
    returned = root(call)
    parts = [call, returned, *running, *(returned.items if isinstance(returned, Collection) else ())]
    here: Value | None = value
    for _ in range(10):
        if any(part is here for part in parts):
            return True
        if isinstance(here, Collection) and here.items:
            here = root(here.items[0])
        elif isinstance(here, Call) and here.op in ("[]", "next"):
            here = here.args[0]
        elif isinstance(here, Call) and keeps_numbers(here):
            here = subject(here)
        else:
            return False
    return False


SUSPECTED_BY = "memory"
FINGERPRINTS = {
    "phantom phantom-bootstrapped": "Drop the row after each end, or make the vector environment reset "
    "within the same step.",
    "reset-dropped": "Take the observation from reset: obs, _ = env.reset().",
}


def probe_agent(climb: "Climb") -> Iterator[Evidence]:
    from sleuth.rl.evidence_of_agents import by_fingerprint

    if climb.strays:  # what the environment itself saw needs no inference
        which = "after a time limit" if climb.only_after_limits else "after an episode had ended"
        yield Evidence(
            f"The agent went on stepping {which}, {climb.steps_after_end} times in {climb.steps} steps, "
            "without a reset: what it learns there happened in no episode.",
            "proven",
            numbers={"steps_after_end": climb.steps_after_end, "steps": climb.steps},
            fix="Call reset whenever terminated or truncated is true, before the next step.",
        )
    yield from by_fingerprint(climb, FINGERPRINTS)
    yield from _forgets(climb)


def _forgets(climb: "Climb") -> Iterator[Evidence]:
    from sleuth.rl.evidence_of_agents import alone

    rung = climb.broken_elsewhere
    if rung is not None and rung.table.name == SUSPECTED_BY:
        yield Evidence(
            f"{alone(rung)} An agent without a memory cannot pass it; one with a memory forgets, or "
            "remembers too much.",
            "open",
            numbers={"first_failing": rung.table.name},
            fix="Reset the hidden state at every start of an episode, and nowhere else.",
        )


def check_env(played: "Played") -> Iterator[Evidence]:
    strange = next((play.strange for play in played.plays if play.strange), "")
    if strange:
        yield Evidence(
            f"The environment raised in the middle of a play: {strange}",
            "proven",
            fix="Play ten episodes with random actions in a loop of your own.",
        )
    if played.fresh_alike and not played.used_alike and not played.first_reward_only:
        yield Evidence(
            "An environment that was played before does not repeat what a fresh one does with the same seed: "
            "some state survives `reset`.",
            "proven",
            fix="Set every attribute that `step` changes anew in `reset`.",
        )
