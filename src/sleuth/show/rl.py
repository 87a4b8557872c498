"""The results of `sleuth rl` as text."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sleuth.finding import Finding

if TYPE_CHECKING:
    from sleuth.rl.ladder import Rung
    from sleuth.rl.logs import Run
    from sleuth.rl.probing import Ladder
    from sleuth.rl.seeds import Seeds
    from sleuth.rl.soundness import Soundness
    from sleuth.rl.watching import Watched

WIDTH = 100
SIGNS = {
    "passed": "✓",
    "implied": "✓",
    "failed": "✗",
    "flaky": "~",
    "undecided": "?",
    "skipped": "-",
    "crashed": "!",
}
SHOWN = (
    "return",
    "return_max",
    "length",
    "entropy",
    "std",
    "kl",
    "explained_variance",
    "value_loss",
    "speed",
)
MARKS = {"error": "✗", "warning": "!", "note": "·"}


def ladder(result: "Ladder") -> str:
    """The whole page of a probe."""
    blocks = [_headline(result), "\n".join(rung_line(rung) for rung in result.rungs)]
    blocks += [wrapped(remark) for remark in result.remarks]
    blocks += findings(result.findings)
    return "\n\n".join(block for block in blocks if block)


def brief(found: Sequence[Finding]) -> str:
    lines = [f"{entry.severity} {entry.cause}: {entry.message}" for entry in found]
    return "\n".join(lines) or "Nothing found."


def _headline(result: "Ladder") -> str:
    count = {word: sum(rung.result == word for rung in result.rungs) for word in SIGNS}
    parts = [f"{number} {word}" for word, number in count.items() if number]
    return f"{len(result.rungs)} probes: {', '.join(parts)}"


def rung_line(rung: "Rung") -> str:
    """One probe: sign, name, steps, and what was seen or asked."""
    check = rung.last
    steps = f"{check.steps:>6} steps" if check is not None else " " * 12
    said = rung.table.purpose if rung.result == "passed" else rung.reason or rung.table.purpose
    seeds = f" ({rung.failing} of {rung.seeds} seeds)" if rung.result in ("failed", "flaky") else ""
    return f"  {SIGNS[rung.result]} {rung.table.name:<19}{steps}  {rung.result}{seeds}: {said}"


def findings(found: Sequence[Finding]) -> list[str]:
    return [_finding(entry) for entry in found]


def _finding(entry: Finding) -> str:
    title = f"{MARKS[entry.severity]} {entry.cause}  ({entry.severity}, {entry.credence:.0%} sure)"
    lines = [title, wrapped(entry.message, "  ")]
    if entry.fix:
        lines.append(wrapped(f"fix: {entry.fix}", "  "))
    lines.append(f"  more: sleuth explain {entry.cause}")
    return "\n".join(lines)


def wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)


def soundness(result: "Soundness") -> str:
    """The page of `sleuth rl check`."""
    from sleuth.rl.played import scales

    seen = scales(result.facts)
    paid = "{reward_min} to {reward_max}, mean {reward_mean}, sd {reward_sd}".format(**seen)
    lines = [
        f"{result.name}: {seen['steps']} steps, {seen['episodes']} random episodes",
        f"  observations  {_observed(seen)}",
        f"  rewards       {paid}  {spark(seen['reward_histogram']['counts'])}",
    ]
    if seen["horizon"]:
        lines.append(f"  horizon       {seen['horizon']:g} steps at gamma {result.facts.gamma:g}")
    shares = ", ".join(f"{action}: {share:.0%}" for action, share in seen["action_shares"].items())
    lines += [f"  actions       {shares}"] if shares else []
    blocks = ["\n".join(line for line in lines if line), _agents(result.facts.agents)]
    blocks += findings(result.findings) or ["Nothing found."]
    return "\n\n".join(blocks)


def _observed(seen: Mapping[str, Any]) -> str:
    text = "{features} features, {observation_min} to {observation_max}".format(**seen)
    far = seen["observation_outliers"]
    outliers = f", {far:.2%} of them with a feature far outside" if far else ""
    return f"{text}{outliers}  {spark(seen['observation_histogram']['counts'])}"


def _agents(agents: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return and length of each simple agent."""
    head = f"  {'agent':<16}{'return min / mean / max / sd':<40}length min / mean / max / sd"
    lines = [head]
    for label, entry in agents.items():
        parts = [
            " / ".join(f"{value:.4g}" for value in entry[what].values()) for what in ("return", "length")
        ]
        lines.append(f"  {label:<16}{parts[0]:<40}{parts[1]}")
    return "\n".join(lines)


def watched(result: "Watched") -> str:
    """The page of `sleuth rl watch`."""
    blocks = [_run(run) for run in result.runs]
    if result.seeds is not None:
        blocks.append(seed_dots(result.seeds))
    blocks += findings(result.findings) or ["Nothing found."]
    return "\n\n".join(blocks)


def _run(run: "Run") -> str:
    lines = [f"{run.name}: {len(run.keys)} quantities logged, {len(run.series)} understood"]
    for word in SHOWN:
        series = run.series.get(word)
        if series is not None and series.values:
            curve = spark([value for value in series.values if value == value])
            lines.append(
                f"  {word:<19}{series.values[0]:>10.4g} {curve} {series.values[-1]:.4g}  ({series.key})"
            )
    return "\n".join(lines)


def seed_dots(result: "Seeds") -> str:
    """Each seed a dot between the worst and the best."""
    low, high = min(result.finals), max(result.finals)
    row = [" "] * 61
    for value in result.finals:
        place = int(60 * (value - low) / (high - low)) if high > low else 30
        row[place] = {" ": "•", "•": "2", "2": "3"}.get(row[place], "+")
    lines = [f"Seeds ({len(result.finals)}), final return", f"  {low:.4g} |{''.join(row)}| {high:.4g}"]
    lines.append(f"  {_failures(result)}; failure rate at most {result.bound:.0%} (95%, exact)")
    if result.interval is None:
        lines.append("  No interval: fewer than 4 seeds cannot carry one.")
    else:
        lines.append(f"  mean between {result.interval[0]:.4g} and {result.interval[1]:.4g} (95%, bootstrap)")
    if result.same_p is not None:
        lines.append(
            f"  first half against second half of the seeds: p = {result.same_p:.2f} (should not be small)"
        )
    return "\n".join(lines)


def _failures(result: "Seeds") -> str:
    """Without a threshold only seeds that stand apart from the others count as failed."""
    below = sum(value < result.threshold for value in result.finals)
    if result.failing != below:
        return "no group of seeds is separate"
    return f"{result.failing} below {result.threshold:.4g}"


def settings(name: str, table: Mapping[str, str]) -> str:
    return "\n".join(
        [f"{name}: common settings, for an agent that passes the probes"]
        + [f"  {key:<18} {value}" for key, value in table.items()]
    )


def spark(values: Sequence[float], width: int = 40) -> str:
    """A curve in one line."""
    from sleuth.show.probe_text import spark as drawn

    return drawn(values, width)
