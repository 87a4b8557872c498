"""What causes say of one another and of their own evidence, read from the constants in their files.

CONSEQUENCE_OF   causes that bring this one about: it is explained away where one of them was found
RIVALS           other names for what may be one and the same fault: of two, the better shown one stays
GIVES_WAY_TO     "anything" that was found (a state that any fault leaves behind), or what is "proven" (a
                 setting: a tenth of the rate helps against most bugs, so settings are blamed last)
UNLESS           {technique: circumstances} in which its evidence does not count; "numbers" stands for all
                 techniques but lint
DECIDED_BY       the experiment without whose yes its numbers explain nothing
CHANGES_LOSS     undoing it changes what the loss means, so that losses cannot be compared
JUDGED_BY        what tells whether undoing it helped, before the loss is asked: "held-out", "most scores"
UNDONE_EXACTLY   undoing it takes back the whole of it: where that changes nothing, it does no harm
WORTH_ASKING     a note of its detector is worth an experiment
MEANS_CHANCE     it leaves something to chance: two runs of such a script are worth comparing
ANSWERS          the question of triage that it answers with yes where it is found
IS_AN_ABSENCE    what is said to be lacking may stand where the source could not be read
LOOKS_LIKE       {symptom: how often, in words}: what a run looks like from outside in which it is at work
INVITED_BY       {pattern: how many times as likely}: what in a source makes it possible
RAISES           {pattern: a sentence}: the message of the exception it ends in, and what that means
NEEDS            words of a source without any of which its `lint` has nothing to say
PREDICTS         {experiment: how often it says yes, in words} where the cause is at work
SUSPECTED_BY     worlds of `sleuth rl probe` that were built for it: the suspect where one of them is the
                 lowest that breaks and nothing else explains the numbers
FINGERPRINTS     {names of mistakes (see `sleuth.rl.mistakes`): repair}; each teaches an agent its own numbers
SIGNS            {sign (see `sleuth.rl.climbed`): why}: what the lowest probe that breaks shows of it
ABOUT_VALUES     not said of an agent that has no values
FLAWED_SUMS      ways to be wrong in returns and advantages that are its work (see `sleuth.rl.sums`)
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sleuth import catalog

# Circumstances that are known only when the evidence is weighed, beside those of the record.
ANSWERED = ("overcome", "moving")
NUMBERS = "numbers"  # in `UNLESS`: every technique but lint


def says(slug: str, name: str, default: Any = None) -> Any:
    """A constant of a cause; the default for one that is not in the catalog or does not have it."""
    known = catalog.causes().get(slug)
    return default if known is None else getattr(known.module, name, default)


@cache
def roots_of(slug: str) -> frozenset[str]:
    """The causes it is a consequence of."""
    return frozenset(str(says(slug, "CONSEQUENCE_OF", "")).split())


@cache
def rivals_of(slug: str) -> frozenset[str]:
    """Whichever of the two files says so."""
    own = str(says(slug, "RIVALS", "")).split()
    others = [other for other in catalog.causes() if slug in str(says(other, "RIVALS", "")).split()]
    return frozenset((*own, *others))


@cache
def silenced_in(slug: str, technique: str) -> frozenset[str]:
    """The circumstances in which what this technique says of the cause does not count."""
    unless: Mapping[str, str] = says(slug, "UNLESS", {})
    kinds = (technique, "any") if technique == "lint" else (technique, NUMBERS, "any")
    return frozenset(word for kind in kinds for word in unless.get(kind, "").split())
