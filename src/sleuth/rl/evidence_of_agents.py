"""What a cause says of an agent that failed its probes, in words: by fingerprint, or by the lowest probe."""

from collections.abc import Iterator, Mapping, Sequence

from sleuth.finding import Evidence
from sleuth.rl.climbed import Climb, Sign
from sleuth.rl.ladder import Rung

LOWEST = "the lowest rung that breaks says most"


def by_fingerprint(climb: Climb, fingerprints: Mapping[str, str]) -> Iterator[Evidence]:
    """`fingerprints`: names of mistakes that are this cause's, as words, and how each is repaired."""
    fixes = {name: fix for names, fix in fingerprints.items() for name in names.split()}
    for explanation in climb.explanations:
        fit = explanation.fit
        if fit.name in fixes:
            yield Evidence(
                f"{seen(climb.failed)} This is the fingerprint of a known mistake: {fit.mistake.says}.",
                explanation.telling,
                numbers={
                    "fingerprint": fit.name,
                    "distance": round(fit.failed, 3),
                    **numbers(climb.failed),
                },
                fix=fixes[fit.name],
            )


def by_first_break(climb: Climb, signs: Mapping[Sign, str], worlds: str = "") -> Iterator[Evidence]:
    """Where no mistake fits: by a sign in the lowest probe that breaks, else by the world it broke in."""
    if not climb.unexplained:
        return
    first = climb.failed[0].table
    why = signs.get(climb.sign, "")
    if not climb.sign and first.name in worlds.split():
        why = f"“{first.name}” asks: {first.purpose}"
    if why:
        yield Evidence(
            f"{seen(climb.failed)} No known mistake fits these numbers; {why}: {LOWEST}.",
            "likely",
            numbers=numbers(climb.failed),
            fix="Repair the lowest failing probe first.",
        )


def by_world_beside(climb: Climb, worlds: str) -> Iterator[Evidence]:
    """By a probe beside the ladder that fails alone."""
    rung = climb.broken_elsewhere
    if rung is not None and rung.table.name in worlds.split() and not rung.table.by_deed:
        yield Evidence(
            alone(rung),
            "likely",
            numbers={"first_failing": rung.table.name},
            fix="Look at what only this probe has: its spaces, its bounds.",
        )


def alone(rung: Rung) -> str:
    return f"The probe “{rung.table.name}” fails: {rung.reason or rung.table.purpose}. The others pass."


def seen(failed: Sequence[Rung]) -> str:
    first = failed[0]
    others = len(failed) - 1
    more = f" {others} other probe{'s fail' if others > 1 else ' fails'} as well." if others else ""
    what = first.last.error.what if first.last is not None else first.reason
    return f"The probe “{first.table.name}” fails: {what}.{more}"


def numbers(failed: Sequence[Rung]) -> dict[str, float | int | str]:
    first = failed[0]
    found: dict[str, float | int | str] = {"first_failing": first.table.name, "failing": len(failed)}
    if first.last is not None:
        found["steps"] = first.last.steps
    return found
